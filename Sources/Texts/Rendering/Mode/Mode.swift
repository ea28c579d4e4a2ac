/// How a notification gets its text.
public enum Mode: String, Sendable, Hashable, CaseIterable {
  /// The payload carries keys, which the device looks up in its app, and, unless the message says
  /// `literal_fallback: false`, the finished text for a device that lacks a key. The alert of a
  /// Live Activity has keys alone: Apple takes no text beside them there.
  case client
  /// The payload carries the finished text.
  case server
  /// A silent payload carries a local notification with the finished text, which the app shows.
  case local
  /// A PushKit payload carries the finished text, for the app to tell CallKit.
  case voip
}

/// Who shall localize, as the caller of a rendering or a message asks for it.
public enum LocalizationRequest: String, Sendable, Hashable, CaseIterable {
  /// The device or the server, whichever can do it without loss.
  case auto
  /// The device, by keys into the strings of its app.
  case client
  /// The server.
  case server
  /// The server, in a local notification that the app makes.
  case local
}

/// One test of the choice: whether an obstacle is there.
public struct ModeTest: Sendable, Hashable {
  /// The obstacle that was looked for.
  public var test: ModeReason
  /// `true` when the obstacle is not there.
  public var passed: Bool
  public var saw: String
}

/// The mode of one notification, with its reason.
public struct ModeDecision: Sendable, Hashable {
  public var mode: Mode
  public var reason: ModeReason
  /// The tests in their order; empty unless asked for. If the last one has not passed, it decided
  /// the mode, as ``ModeReason`` says.
  public var tests: [ModeTest]
}

/// Why a mode was chosen. All but the last two are obstacles to `client`. They are looked for in
/// this order, and the first that is there decides. One is only seen when the payload is made:
/// ``argumentsTooLong`` decides if there is a text to send instead.
public enum ModeReason: String, Sendable, Hashable, CaseIterable {
  /// It goes to VoIP tokens.
  case voipCredential = "voip_credential"
  /// The message withdraws another, which only the app can do.
  case withdrawal = "withdrawal"
  /// The caller or the message wants a local notification.
  case requestedLocal = "requested_local"
  /// The message says when it is shown, which only a local notification can carry.
  case messageTrigger = "message_trigger"
  /// The app or its system calls for a local notification, and Background App Refresh is off: the
  /// silent notification that brings it would not wake the app, so the server localizes. (Nobody
  /// demanded a local one.)
  case backgroundRefreshOff = "background_refresh_off"
  /// The device has iOS 7 to 9, where only a local notification replaces an older one.
  case systemBefore10 = "system_before_10"
  /// The app on the device makes local notifications of silent ones.
  case declaredLocal = "declared_local"
  /// There is no text to localize.
  case noText = "no_text"
  /// The caller or the message wants the server to localize.
  case requestedServer = "requested_server"
  /// The app on the device wants the server to localize.
  case devicePrefersServer = "device_prefers_server"
  /// The person's language was set with the service; the device would look in its own.
  case languageOverridden = "language_overridden"
  /// The message brings its own text.
  case literalText = "literal_text"
  /// A text comes from the server's catalog, which no device has.
  case serverCatalog = "server_catalog"
  /// The app did not say that it has its texts, and nobody asked for keys.
  case noLocKeyCapability = "no_loc_key_capability"
  /// The device's OS version is not known.
  case osUnknown = "os_unknown"
  /// The device's OS does not know one of the alert keys.
  case osTooOld = "os_too_old"
  /// A device looks for keys in `Localizable` only.
  case tableNotLocalizable = "table_not_localizable"
  /// No catalog of the device's app build was uploaded.
  case noCatalogForBuild = "no_catalog_for_build"
  /// None of the device's languages is in the catalog, and the message names another language for
  /// that case than the device would show.
  case fallbackLanguage = "fallback_language"
  /// The app's strings lack a key, or its text is empty, in the localization that its bundle picks.
  case keyNotInBuild = "key_not_in_build"
  /// The app's strings have a text in the state `new`, or a part of one: what Xcode makes of it is
  /// not certain.
  case uncertainEntry = "uncertain_entry"
  /// An entry varies by number or device, which a device cannot resolve for a key.
  case pluralEntry = "plural_entry"
  /// An entry has markup, `^[…](inflect: true)`, which a device would show as it is.
  case inlineMarkup = "inline_markup"
  /// An entry has specifiers other than `%@` and `%n$@`.
  case unsupportedSpecifier = "unsupported_specifier"
  /// An entry asks for more arguments than there are, or is nothing but arguments that are empty.
  case argumentCount = "argument_count"
  /// An argument is a number or a list, which a device would write without the locale's habits, or
  /// a key, which it would show as it is.
  case argumentNotText = "argument_not_text"
  /// The payload with keys is longer than APNs accepts, after its fallback texts were cut if they
  /// may be.
  case argumentsTooLong = "arguments_too_long"
  /// There is no obstacle to `client`, save that its keys could not be checked: the caller or
  /// the message asked for bare keys, and no catalog of the build is known.
  case unverifiedKeys = "unverified_keys"
  /// There is no obstacle to `client`.
  case clientPossible = "client_possible"

  /// The obstacles to `client`, in the order of the tests.
  static let obstacles = allCases.filter { $0.mode != .client }
  /// The tests that need no payload.
  static let tests = obstacles.filter { $0 != .argumentsTooLong }

  /// The mode that it leads to.
  var mode: Mode {
    switch self {
    case .voipCredential: .voip
    case .withdrawal, .requestedLocal, .messageTrigger, .systemBefore10, .declaredLocal: .local
    case .unverifiedKeys, .clientPossible: .client
    default: .server
    }
  }
}
