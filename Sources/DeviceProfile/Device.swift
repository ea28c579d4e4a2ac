public import ASCII
public import Localization

/// What rendering must know of a device to say what it gets. Devices that are equal get the same.
public struct Device: Sendable, Hashable {
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
  public var osVersion: Version?
  /// Where the app wants its texts localized.
  public var localization: LocalizationPreference
  /// What the app says it can do.
  public var capabilities: Set<String>
  /// Whether silent notifications wake the app; nil when the app did not tell.
  public var backgroundRefresh: BackgroundRefresh?
  /// What the person allows.
  public var permissions = Permissions()
  /// The app's own facts, or those of them that a message names: the text of a JSON object, as few
  /// renderings read it.
  @Spelled public var attributes: String? = nil

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
