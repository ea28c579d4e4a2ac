import ASCII
import DeviceProfile
import Localization
import Rendering

extension ModeTable {
  /// Where the texts come from.
  static let texts = [
    ModeRow("a sound alone", .server, .noText, alert: "null", more: #", "sound": "default""#),
    ModeRow("a badge alone", .server, .noText, alert: "null", more: #", "badge": 0"#),
    ModeRow("a silent notification", .server, .noText, alert: "null"),
    ModeRow("one wording for everybody", .server, .literalText, alert: #""Hello""#),
    ModeRow(
      "a wording for each language", .server, .literalText,
      alert: #"{"body": {"text": {"en": "Hello", "fr": "Bonjour"}}}"#),
    ModeRow(
      "a literal title over a keyed body", .server, .literalText,
      alert: #"{"title": "x", "body": {"key": "PLAIN"}}"#),
    ModeRow(
      "literal text, keys demanded", .server, .literalText, alert: #""Hello""#, requested: .client),
    ModeRow(
      "a text of the server's own", .server, .serverCatalog,
      alert: #"{"body": {"key": "PLAIN", "catalog": "server"}}"#),
    ModeRow(
      "one part of the server's own", .server, .serverCatalog,
      alert: #"{"title": {"key": "TITLE"}, "body": {"key": "PLAIN", "catalog": "server"}}"#),
    ModeRow(
      "a table that devices do not look in", .server, .tableNotLocalizable,
      alert: #"{"body": {"key": "IN_OTHER", "table": "Other"}}"#),
  ]

  /// What the strings of the build say.
  static let strings = [
    ModeRow(
      "a key that no build has", .server, .keyNotInBuild, alert: #"{"body": {"key": "NOWHERE"}}"#),
    ModeRow(
      "a key that is not translated", .server, .keyNotInBuild,
      alert: #"{"body": {"key": "ONLY_EN"}}"#),
    ModeRow(
      "a key that is not translated, for who reads the original", .client, .clientPossible,
      alert: #"{"body": {"key": "ONLY_EN"}}"#, change: { $0.languages = tags("en") }),
    ModeRow(
      "only the title is translated", .server, .keyNotInBuild,
      alert: #"{"title": {"key": "TITLE"}, "body": {"key": "ONLY_EN"}}"#),
    ModeRow(
      "a text whose state is `new`", .server, .uncertainEntry,
      alert: #"{"title": {"key": "TITLE"}, "body": {"key": "NEW"}}"#),
    ModeRow(
      "a text whose state is `new`, keys demanded", .server, .uncertainEntry,
      alert: #"{"body": {"key": "NEW"}}"#, more: #", "literal_fallback": false"#,
      requested: .client),
    ModeRow(
      "a plural of which a part is `new`", .server, .uncertainEntry,
      alert: #"{"body": {"key": "PART"}}"#, requested: .client),
    ModeRow(
      "a plural", .server, .pluralEntry, alert: #"{"body": {"key": "PLURAL", "args": ["n"]}}"#),
    ModeRow(
      "a plural, keys demanded", .server, .pluralEntry,
      alert: #"{"body": {"key": "PLURAL", "args": ["n"]}}"#, requested: .client),
    ModeRow(
      "a text by device", .server, .pluralEntry, alert: #"{"body": {"key": "BY_DEVICE"}}"#),
    ModeRow("a text by width", .server, .pluralEntry, alert: #"{"body": {"key": "BY_WIDTH"}}"#),
    ModeRow("an empty text", .server, .keyNotInBuild, alert: #"{"body": {"key": "EMPTY"}}"#),
    ModeRow(
      "an empty title, keys demanded", .server, .keyNotInBuild,
      alert: #"{"title": {"key": "EMPTY"}, "body": {"key": "PLAIN"}}"#, requested: .client),
    ModeRow(
      "a text with markup", .server, .inlineMarkup, alert: #"{"body": {"key": "MARKED"}}"#),
    ModeRow(
      "a text with markup, keys demanded", .server, .inlineMarkup,
      alert: #"{"title": {"key": "MARKED"}, "body": {"key": "PLAIN"}}"#,
      more: #", "literal_fallback": false"#, requested: .client),
    ModeRow(
      "a space within a placeholder", .server, .unsupportedSpecifier,
      alert: #"{"body": {"key": "SPACED", "args": ["s"]}}"#),
    ModeRow(
      "nothing but an argument that is empty", .server, .argumentCount,
      alert: #"{"title": {"key": "TITLE"}, "body": {"key": "BARE", "args": ["s"]}}"#),
    ModeRow(
      "nothing but an argument", .client, .clientPossible,
      alert: #"{"body": {"key": "BARE", "args": ["d"]}}"#),
    ModeRow(
      "a number's specifier", .server, .unsupportedSpecifier,
      alert: #"{"body": {"key": "COUNT", "args": ["s"]}}"#),
    ModeRow(
      "a percent sign that nobody doubled", .server, .unsupportedSpecifier,
      alert: #"{"body": {"key": "SHARE"}}"#),
    ModeRow(
      "an argument number zero", .server, .unsupportedSpecifier,
      alert: #"{"body": {"key": "ZERO", "args": ["s"]}}"#),
    ModeRow(
      "fewer arguments than the text asks for", .server, .argumentCount,
      alert: #"{"body": {"key": "TWO", "args": ["s"]}}"#),
    ModeRow(
      "no arguments for a text that asks for one", .server, .argumentCount,
      alert: #"{"body": {"key": "FOOD_PICKUP_TIME"}}"#),
  ]

  /// What the arguments are.
  static let arguments = [
    ModeRow(
      "a whole number", .server, .argumentNotText,
      alert: #"{"body": {"key": "NUMBER", "args": ["n"]}}"#),
    ModeRow(
      "a list", .server, .argumentNotText, alert: #"{"body": {"key": "NUMBER", "args": ["l"]}}"#),
    ModeRow(
      "an amount of money", .server, .argumentNotText,
      alert: #"{"body": {"key": "NUMBER", "args": ["c"]}}"#),
    ModeRow(
      "a length of time", .server, .argumentNotText,
      alert: #"{"body": {"key": "NUMBER", "args": ["u"]}}"#),
    ModeRow(
      "an argument that is a key itself", .server, .argumentNotText,
      alert: #"{"body": {"key": "NUMBER", "args": ["k"]}}"#),
    ModeRow(
      "a number that the text does not use", .server, .argumentNotText,
      alert: #"{"body": {"key": "PLAIN", "args": ["n"]}}"#),
  ]

  /// Local notifications.
  static let local = [
    ModeRow("iOS 9.3.5", .local, .systemBefore10, change: { $0.osVersion = Version(9, 3, 5) }),
    ModeRow(
      "iOS 8 with literal text", .local, .systemBefore10, alert: #""Hello""#,
      change: { $0.osVersion = Version(8) }),
    ModeRow("iOS 7", .local, .systemBefore10, change: { $0.osVersion = Version(7) }),
    ModeRow(
      "iOS 6, which knows no silent notifications", .client, .clientPossible,
      change: { $0.osVersion = Version(6, 1) }),
    ModeRow(
      "an iPad with iOS 9", .local, .systemBefore10,
      change: {
        $0.platform = .ipados
        $0.osVersion = Version(9)
      }),
    ModeRow(
      "iOS 9 with a badge alone", .local, .systemBefore10, alert: "null", more: #", "badge": 1"#,
      change: { $0.osVersion = Version(9) }),
    ModeRow(
      "iOS 9 and a silent notification", .server, .noText, alert: "null",
      change: { $0.osVersion = Version(9) }),
    ModeRow(
      "iOS 9, text asked for", .server, .requestedServer, requested: .server,
      change: { $0.osVersion = Version(9) }),
    ModeRow(
      "iOS 9, keys asked for", .client, .clientPossible, requested: .client,
      change: { $0.osVersion = Version(9) }),
    ModeRow(
      "iOS 9, the app wants text", .server, .devicePrefersServer,
      change: {
        $0.osVersion = Version(9)
        $0.localization = .server
      }),
    ModeRow(
      "watchOS 9, whose numbers are its own", .client, .clientPossible,
      change: {
        $0.platform = .watchos
        $0.osVersion = Version(9)
      }),
    ModeRow(
      "an app that declares local notifications", .local, .declaredLocal,
      change: { $0.capabilities = ["local-notification"] }),
    ModeRow(
      "an app that declares local notifications and keys", .local, .declaredLocal,
      change: { $0.capabilities.insert("local-notification") }),
    ModeRow(
      "an app that declares local notifications and wants text", .server, .devicePrefersServer,
      change: {
        $0.capabilities = ["local-notification"]
        $0.localization = .server
      }),
    ModeRow(
      "an app that declares local notifications, keys asked for", .client, .clientPossible,
      requested: .client, change: { $0.capabilities = ["local-notification"] }),
    ModeRow(
      "an app that declares local notifications, Background App Refresh denied", .server,
      .backgroundRefreshOff, change: declaring(.denied)),
    ModeRow(
      "an app that declares local notifications, Background App Refresh restricted", .server,
      .backgroundRefreshOff, change: declaring(.restricted)),
    ModeRow(
      "an app that declares local notifications, Background App Refresh available", .local,
      .declaredLocal, change: declaring(.available)),
    ModeRow(
      "iOS 9, Background App Refresh denied", .server, .backgroundRefreshOff,
      change: {
        $0.osVersion = Version(9)
        $0.backgroundRefresh = .denied
      }),
    ModeRow(
      "a current app with keys, Background App Refresh denied", .client, .clientPossible,
      change: { $0.backgroundRefresh = .denied }),
    ModeRow(
      "Background App Refresh denied, keys asked for", .client, .clientPossible,
      requested: .client, change: declaring(.denied)),
    ModeRow(
      "Background App Refresh denied, a local notification demanded by the caller", .local,
      .requestedLocal, requested: .local, change: declaring(.denied)),
    ModeRow(
      "Background App Refresh denied, a local notification demanded by the message", .local,
      .requestedLocal, more: #", "localization": "local""#, change: declaring(.restricted)),
    ModeRow(
      "Background App Refresh denied, a reminder", .local, .messageTrigger, more: reminder,
      change: declaring(.denied)),
    ModeRow(
      "the caller wants a local notification", .local, .requestedLocal, requested: .local),
    ModeRow(
      "the caller wants a local notification of silence", .server, .noText, alert: "null",
      requested: .local),
    ModeRow(
      "the caller wants a local notification, the app text", .local, .requestedLocal,
      requested: .local, change: { $0.localization = .server }),
    ModeRow(
      "a reminder for a set time", .local, .messageTrigger, more: reminder,
      change: { $0.capabilities = ["local-notification"] }),
    ModeRow(
      "a reminder, the app did not say that it makes one", .local, .messageTrigger, more: reminder),
    ModeRow(
      "a reminder, text asked for", .local, .messageTrigger, more: reminder, requested: .server),
    ModeRow(
      "a reminder, keys asked for", .local, .messageTrigger, more: reminder, requested: .client),
    ModeRow(
      "a reminder on iOS 9", .local, .messageTrigger, more: reminder,
      change: { $0.osVersion = Version(9) }),
    ModeRow(
      "a reminder on a Mac", .local, .messageTrigger, more: reminder,
      change: {
        $0.platform = .macos
        $0.osVersion = Version(14)
      }),
  ]

  /// A device whose app makes local notifications.
  private static func declaring(
    _ refresh: BackgroundRefresh
  ) -> @Sendable (inout Device) -> Void {
    {
      $0.capabilities.insert(Device.localNotificationCapability)
      $0.backgroundRefresh = refresh
    }
  }

  private static let reminder =
    #", "trigger": {"type": "calendar", "date": {"hour": 7}, "repeats": true}"#

  /// Calls.
  static let others = [
    ModeRow("a call", .voip, .voipCredential, isVoIP: true),
    ModeRow(
      "a call, keys demanded", .voip, .voipCredential, requested: .client, isVoIP: true),
    ModeRow("a call on iOS 9", .voip, .voipCredential, isVoIP: true) {
      $0.osVersion = Version(9)
    },
    ModeRow(
      "a call, local notifications wanted", .voip, .voipCredential,
      more: #", "localization": "local""#, isVoIP: true),
    ModeRow("a call with a reminder", .voip, .voipCredential, more: reminder, isVoIP: true),
    ModeRow(
      "a withdrawal", .local, .withdrawal, alert: "null", more: #", "withdraws": "a""#,
      requested: .server),
    ModeRow(
      "a call withdrawn", .voip, .voipCredential, alert: "null", more: #", "withdraws": "a""#,
      isVoIP: true),
    ModeRow("a call without text", .voip, .voipCredential, alert: "null", isVoIP: true),
  ]
}
