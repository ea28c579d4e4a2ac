public import Localization

/// Who localizes a text.
public enum LocalizationPreference: String, Sendable, Hashable, CaseIterable, Codable {
  /// Whoever can do it without loss.
  case auto
  /// The device, by keys into the strings of its app.
  case client
  /// The server.
  case server
}

/// Whether the system wakes the app for silent notifications (`UIBackgroundRefreshStatus`).
public enum BackgroundRefresh: String, Sendable, Hashable, CaseIterable, Codable {
  /// It does.
  case available
  /// The person switched it off, for the app or for all.
  case denied
  /// The system does not let the person switch it on, as with parental controls.
  case restricted
}

/// What rendering must know of a device to say what it gets. Devices that are equal get the same.
public struct Device: Sendable, Hashable {
  /// The operating systems of the contract.
  public enum Platform: String, Sendable, Hashable, CaseIterable, Codable {
    /// iOS on an iPhone.
    case ios
    /// iPadOS.
    case ipados
    /// macOS.
    case macos
    /// tvOS.
    case tvos
    /// watchOS.
    case watchos
    /// visionOS.
    case visionos
  }

  /// The capability that says the app has its notification texts in its own string tables.
  public static let locKeyCapability = "loc-key"
  /// The capability that says the app makes local notifications out of silent ones.
  public static let localNotificationCapability = "local-notification"

  /// The operating system.
  public var platform: Platform
  /// The preferred languages, best first, a user's override in front.
  public var languages: [LanguageTag]
  /// Whether the first of them is such an override, of which the device itself does not know.
  public var isLanguageOverridden: Bool
  /// The region settings, such as `en_HK`.
  public var locale: String?
  /// IANA name, such as `Asia/Hong_Kong`.
  public var timeZone: String?
  /// `CFBundleShortVersionString`.
  public var appVersion: String?
  /// `CFBundleVersion`.
  public var appBuild: String?
  /// The version of the operating system.
  public var osVersion: OSVersion?
  /// Who the app wants to localize.
  public var localization: LocalizationPreference
  /// What the app says it can do.
  public var capabilities: Set<String>
  /// Whether silent notifications wake the app; nil when the app did not tell.
  public var backgroundRefresh: BackgroundRefresh?
  /// What the person allows.
  public var permissions = Permissions()

  /// A device of which only the languages are known: its own, and what stands before them.
  public init(
    platform: Platform = .ios, languages: [LanguageTag] = [], override: LanguageTag? = nil
  ) {
    self.platform = platform
    self.languages = [override].compactMap { $0 } + languages
    isLanguageOverridden = override != nil && override != languages.first
    localization = .auto
    capabilities = []
  }
}
