import DeviceProfile
import Localization
import Rendering
import Testing

/// A device, a message and a caller, and how the text gets to the device.
struct ModeRow: Sendable, CustomTestStringConvertible {
  var situation: String
  var reason: ModeReason
  var mode: Mode
  /// The message's `alert`.
  var alert: String
  /// More members of the message, each with a comma in front.
  var more: String
  var requested: LocalizationRequest
  var isVoIP: Bool
  var hasCatalog: Bool
  var change: @Sendable (inout Device) -> Void

  init(
    _ situation: String, _ mode: Mode, _ reason: ModeReason,
    alert: String = #"{"body": {"key": "PLAIN"}}"#, more: String = "",
    requested: LocalizationRequest = .auto, isVoIP: Bool = false, hasCatalog: Bool = true,
    change: @escaping @Sendable (inout Device) -> Void = { _ in }
  ) {
    self.situation = situation
    self.reason = reason
    self.mode = mode
    self.alert = alert
    self.more = more
    self.requested = requested
    self.isVoIP = isVoIP
    self.hasCatalog = hasCatalog
    self.change = change
  }

  var testDescription: String { situation }
}

/// The situations, each with a device of iOS 17.4.1, build 412 and the capability `loc-key`, whose
/// person speaks Canadian French, unless it says otherwise.
enum ModeTable {
  static let rows = keys + wishes + devices + systems + texts + strings + arguments + local + others

  /// Texts that a current device can show by itself.
  static let keys = [
    ModeRow("a greeting that the build has", .client, .clientPossible),
    ModeRow(
      "a greeting with title and body", .client, .clientPossible,
      alert: #"{"title": {"key": "TITLE"}, "body": {"key": "PLAIN"}}"#),
    ModeRow(
      "all three parts", .client, .clientPossible,
      alert: #"{"title": {"key": "TITLE"}, "subtitle": {"key": "PLAIN"}, "body": {"key": "PLAIN"}}"#
    ),
    ModeRow(
      "a title alone", .client, .clientPossible, alert: #"{"title": {"key": "TITLE"}}"#),
    ModeRow(
      "names in another order", .client, .clientPossible,
      alert: #"{"body": {"key": "TWO", "args": ["s", "s"]}}"#),
    ModeRow(
      "an argument that this translation leaves out", .client, .clientPossible,
      alert: #"{"body": {"key": "PLAIN", "args": ["s"]}}"#),
    ModeRow(
      "a percent sign beside an argument", .client, .clientPossible,
      alert: #"{"body": {"key": "PERCENT", "args": ["s"]}}"#),
    ModeRow(
      "a date, which the server writes", .client, .clientPossible,
      alert: #"{"body": {"key": "FOOD_PICKUP_TIME", "args": ["d"]}}"#),
    ModeRow(
      "with sound and badge", .client, .clientPossible, more: #", "sound": "default", "badge": 3"#),
    ModeRow(
      "that also wakes the app", .client, .clientPossible, more: #", "content_available": 1"#),
  ]

  /// What the caller, the message and the app want.
  static let wishes = [
    ModeRow("the caller wants text", .server, .requestedServer, requested: .server),
    ModeRow(
      "the message wants text", .server, .requestedServer, more: #", "localization": "server""#),
    ModeRow(
      "the caller's keys beat the message's text", .client, .clientPossible,
      more: #", "localization": "server""#, requested: .client),
    ModeRow(
      "the caller's text beats the message's keys", .server, .requestedServer,
      more: #", "localization": "client""#, requested: .server),
    ModeRow(
      "the caller's text beats the message's local", .server, .requestedServer,
      more: #", "localization": "local""#, requested: .server),
    ModeRow(
      "the caller's auto leaves it to the message", .local, .requestedLocal,
      more: #", "localization": "local""#),
    ModeRow(
      "the app wants text", .server, .devicePrefersServer, change: { $0.localization = .server }),
    ModeRow(
      "the app wants text, the caller keys", .server, .devicePrefersServer, requested: .client,
      change: { $0.localization = .server }),
    ModeRow(
      "the app wants text, the message keys", .server, .devicePrefersServer,
      more: #", "localization": "client""#, change: { $0.localization = .server }),
    ModeRow(
      "the language was set with the service", .server, .languageOverridden,
      change: { $0 = $0.overridden("en") }),
    ModeRow(
      "the language was set with the service, the caller wants keys", .server,
      .languageOverridden, requested: .client, change: { $0 = $0.overridden("en") }),
    ModeRow(
      "the language that was set is the device's own", .client, .clientPossible,
      change: { $0 = $0.overridden("fr-CA") }),
    ModeRow(
      "the app wants keys and says no more", .client, .clientPossible,
      change: {
        $0.capabilities = []
        $0.localization = .client
      }),
    ModeRow(
      "the caller demands keys of an app that did not declare them", .client, .clientPossible,
      requested: .client, change: { $0.capabilities = [] }),
    ModeRow(
      "the message demands keys of an app that did not declare them", .client, .clientPossible,
      more: #", "localization": "client""#, change: { $0.capabilities = [] }),
    ModeRow(
      "bare keys for an unknown build, on demand", .client, .unverifiedKeys,
      more: #", "literal_fallback": false"#, requested: .client, hasCatalog: false),
    ModeRow(
      "bare keys for an unknown build, on the message's demand", .client, .unverifiedKeys,
      more: #", "literal_fallback": false, "localization": "client""#, hasCatalog: false),
    ModeRow(
      "bare keys for an unknown build that nobody demands", .server, .noCatalogForBuild,
      more: #", "literal_fallback": false"#, hasCatalog: false),
  ]

  /// What the app on the device says of itself.
  static let devices = [
    ModeRow(
      "an app that did not declare its texts", .server, .noLocKeyCapability,
      change: { $0.capabilities = [] }),
    ModeRow(
      "an app that declares only its service extension", .server, .noLocKeyCapability,
      change: { $0.capabilities = ["mutable-content"] }),
    ModeRow("a build without strings here", .server, .noCatalogForBuild, hasCatalog: false),
    ModeRow(
      "a build without strings here, keys demanded", .server, .noCatalogForBuild,
      requested: .client, hasCatalog: false),
    ModeRow(
      "a reader of English", .client, .clientPossible, change: { $0.languages = tags("en-GB") }),
    ModeRow(
      "a reader of a language that the build lacks", .client, .clientPossible,
      change: { $0.languages = tags("ja") }),
    ModeRow("no languages at all", .client, .clientPossible, change: { $0.languages = [] }),
    ModeRow(
      "second language is there", .client, .clientPossible,
      change: { $0.languages = tags("ja", "fr") }),
    ModeRow(
      "a fallback language for the reader of Japanese", .server, .fallbackLanguage,
      more: #", "fallback_language": "fr""#, change: { $0.languages = tags("ja") }),
    ModeRow(
      "a fallback language for nobody's languages", .server, .fallbackLanguage,
      more: #", "fallback_language": "fr-CA""#, change: { $0.languages = [] }),
    ModeRow(
      "a fallback language that is the development language", .client, .clientPossible,
      more: #", "fallback_language": "en""#, change: { $0.languages = tags("ja") }),
    ModeRow(
      "a fallback language that the build lacks too", .client, .clientPossible,
      more: #", "fallback_language": "de""#, change: { $0.languages = tags("ja") }),
    ModeRow(
      "a fallback language that is not needed", .client, .clientPossible,
      more: #", "fallback_language": "en""#),
  ]

  /// What the operating systems know.
  static let systems = [
    ModeRow("an unknown system", .server, .osUnknown, change: { $0.osVersion = nil }),
    ModeRow(
      "an unknown system, keys demanded", .server, .osUnknown, requested: .client,
      change: { $0.osVersion = nil }),
    ModeRow("iOS 10", .client, .clientPossible, change: { $0.osVersion = Version(10) }),
    ModeRow("iOS 3 with a body", .client, .clientPossible, change: { $0.osVersion = Version(3) }),
    ModeRow("iOS 2", .server, .osTooOld, change: { $0.osVersion = Version(2, 2) }),
    ModeRow(
      "iOS 8.1 and a title, keys demanded", .server, .osTooOld,
      alert: #"{"title": {"key": "PLAIN"}}"#, requested: .client,
      change: { $0.osVersion = Version(8, 1) }),
    ModeRow(
      "iOS 8.2 and a title, keys demanded", .client, .clientPossible,
      alert: #"{"title": {"key": "PLAIN"}}"#, requested: .client,
      change: { $0.osVersion = Version(8, 2) }),
    ModeRow(
      "iOS 9.3 and a subtitle, keys demanded", .server, .osTooOld,
      alert: #"{"subtitle": {"key": "PLAIN"}, "body": {"key": "PLAIN"}}"#, requested: .client,
      change: { $0.osVersion = Version(9, 3) }),
    ModeRow("iPadOS 17", .client, .clientPossible, change: { $0.platform = .ipados }),
    ModeRow(
      "macOS 10.13", .server, .osTooOld,
      change: {
        $0.platform = .macos
        $0.osVersion = Version(10, 13)
      }),
    ModeRow(
      "macOS 10.14", .client, .clientPossible,
      change: {
        $0.platform = .macos
        $0.osVersion = Version(10, 14)
      }),
    ModeRow(
      "tvOS 9", .server, .osTooOld,
      change: {
        $0.platform = .tvos
        $0.osVersion = Version(9)
      }),
    ModeRow(
      "watchOS 3", .client, .clientPossible,
      change: {
        $0.platform = .watchos
        $0.osVersion = Version(3)
      }),
    ModeRow(
      "watchOS 2", .server, .osTooOld,
      change: {
        $0.platform = .watchos
        $0.osVersion = Version(2)
      }),
    ModeRow(
      "visionOS 1", .client, .clientPossible,
      change: {
        $0.platform = .visionos
        $0.osVersion = Version(1)
      }),
  ]
}

extension Device {
  /// The same device with a language that was set with the service.
  fileprivate func overridden(_ language: String) -> Device {
    let other = Device(languages: languages, override: LanguageTag(language))
    var device = self
    (device.languages, device.isLanguageOverridden) = (other.languages, other.isLanguageOverridden)
    return device
  }
}
