public import ASCII
public import Localization

/// The facts that rendering must know of a device to say what it gets. Equal devices get the same.
public struct Device: Sendable, Hashable {
  /// The capability that says the app has its notification texts in its own string tables.
  public static let locKeyCapability = "loc-key"
  /// The capability that says the app makes local notifications out of silent ones.
  public static let localNotificationCapability = "local-notification"

  public var platform: Platform
  /// Where the app's tokens are valid; nil when it makes no difference.
  public var environment: Environment?
  /// The preferred languages, best first, a user's override in front.
  public var languages: [LanguageTag]
  /// Whether the first language is such an override, which the device itself does not know.
  public var isLanguageOverridden: Bool
  /// The region settings, such as `en_HK`.
  public var locale: String?
  /// IANA name, such as `Asia/Hong_Kong`.
  public var timeZone: String?
  /// `CFBundleShortVersionString`.
  public var appVersion: String?
  /// `CFBundleVersion`.
  public var appBuild: String?
  public var osVersion: Version?
  public var localization: LocalizationPreference
  /// What the app says it can do.
  public var capabilities: Set<String>
  /// Whether silent notifications wake the app; nil when the app did not tell.
  public var backgroundRefresh: BackgroundRefresh?
  public var permissions = Permissions()
  /// Whether the person allows Live Activities; nil when the app did not tell.
  public var liveActivitiesAllowed: Bool?
  /// Whether so many Live Activities began within an hour that the system may start no more.
  public var startsActivitiesOften = false
  /// The bundle id of the app's target on it; nil is the app's own.
  @Spelled public var bundleID: String? = nil
  /// The app's own facts, or those of them that a message names: the text of a JSON object, as few
  /// renderings read it.
  @Spelled public var attributes: String? = nil

  /// A device of which only the languages are known: its own, and the override in front of them.
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

/// The operating systems of the contract.
public enum Platform: String, Sendable, Hashable, CaseIterable {
  /// iOS on an iPhone.
  case ios
  case ipados
  case macos
  case tvos
  case watchos
  case visionos
}

/// The environments of APNs: a token is valid in one of them (the `aps-environment` entitlement).
public enum Environment: String, Sendable, Hashable, CaseIterable {
  /// `api.push.apple.com`.
  case production
  /// `api.sandbox.push.apple.com`.
  case sandbox
}

/// Where an app wants the texts of its notifications localized.
public enum LocalizationPreference: String, Sendable, Hashable, CaseIterable {
  /// Wherever it can be done without loss.
  case auto
  /// On the device, by keys into the strings of its app.
  case client
  /// On the server.
  case server
}

/// Whether the system wakes the app for silent notifications (`UIBackgroundRefreshStatus`).
public enum BackgroundRefresh: String, Sendable, Hashable, CaseIterable {
  /// It does.
  case available
  /// The person switched it off, for the app or for all.
  case denied
  /// The system does not let the person switch it on, as with parental controls.
  case restricted
}

/// What the person at a device allows, as far as the app told.
public struct Permissions: Sendable, Hashable {
  /// Whether the person said no: nothing is allowed then.
  public var isDenied = false
  /// Whether texts are shown anywhere; nil when the app did not tell.
  public var alert: Bool?
  /// Whether sounds are played.
  public var sound: Bool?
  /// Whether the badge is set.
  public var badge: Bool?
  /// Whether alerts may break through the mute switch.
  public var criticalAlert: Bool?

  /// Nothing is known.
  public init() {}
}

/// The facts of a device that can make a difference to a rendering, beside its languages, its
/// platform and the build of its app. Devices that agree in all of them get the same.
public struct DeviceAspects: OptionSet, Sendable {
  public let rawValue: Int

  public init(rawValue: Int) { self.rawValue = rawValue }

  /// How its region writes numbers and dates.
  public static let locale = Self(rawValue: 1)
  /// Where it is.
  public static let timeZone = Self(rawValue: 2)
  /// What its system and its app can do.
  public static let abilities = Self(rawValue: 4)
  /// What the person allows.
  public static let authorization = Self(rawValue: 8)
  /// The app's own facts, as far as the message names them.
  public static let attributes = Self(rawValue: 16)
  /// Which of the app's targets it has.
  public static let bundleID = Self(rawValue: 32)
  /// Whether the person allows Live Activities.
  public static let liveActivities = Self(rawValue: 64)
  /// Where its tokens are valid.
  public static let environment = Self(rawValue: 128)
  /// Everything that any message may depend on by itself; ``attributes`` depend on its parameters.
  public static let all: Self = [
    .locale, .timeZone, .abilities, .authorization, .bundleID, .liveActivities, .environment,
  ]
}
