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

/// What rendering must know of one installation.
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

  /// The environments of APNs.
  public enum Environment: String, Sendable, Hashable, CaseIterable, Codable {
    /// `api.push.apple.com`.
    case production
    /// `api.sandbox.push.apple.com`.
    case sandbox
  }

  /// The capability that says the app has its notification texts in its own string tables.
  public static let locKeyCapability = "loc-key"

  /// The installation's id, for the answer; nil when the caller named a bare token.
  public var installationID: String?
  /// The device token, lowercase hexadecimal.
  public var token: String
  /// Where the token is valid.
  public var environment: Environment
  /// The operating system.
  public var platform: Platform
  /// The preferred languages, best first, a user's override in front.
  public var languages: [LanguageTag]
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

  /// A device of which only the token and the languages are known.
  public init(
    token: String, environment: Environment = .production, platform: Platform = .ios,
    languages: [LanguageTag] = []
  ) {
    self.token = token
    self.environment = environment
    self.platform = platform
    self.languages = languages
    localization = .auto
    capabilities = []
  }
}
