/// The tests that choose the mode of a notification, in words; the console has the same.
enum ModeReasonText {
  /// By the code of the test.
  static let all = [
    "voip_credential": "it goes to a token for calls",
    "withdrawal": "the message withdraws another",
    "requested_local": "a local notification is asked for",
    "message_trigger": "the message says when it is shown",
    "background_refresh_off": "silent pushes do not wake the app",
    "system_before_10": "the system is older than iOS 10",
    "declared_local": "the app makes local notifications",
    "no_text": "the message has no text",
    "requested_server": "text of the service is asked for",
    "device_prefers_server": "the app wants text of the service",
    "language_overridden": "a language was chosen for the person",
    "literal_text": "the message brings its own text",
    "server_catalog": "a text is in the catalog of the service",
    "no_loc_key_capability": "the app did not say that it has texts",
    "os_unknown": "the version of the system is unknown",
    "os_too_old": "the system is too old for keys",
    "table_not_localizable": "a key is in another table",
    "no_catalog_for_build": "there is no catalog of the build",
    "fallback_language": "the message wants another language here",
    "key_not_in_build": "the build lacks a key or its text",
    "uncertain_entry": "a text in the catalog is not finished",
    "plural_entry": "a text varies by number or device",
    "inline_markup": "a text has markup, which a device would show",
    "unsupported_specifier": "a text has other placeholders than %@",
    "argument_count": "a text wants more arguments",
    "argument_not_text": "an argument is not a text",
    "arguments_too_long": "keys and arguments are too long",
    "unverified_keys": "keys are asked for, though no catalog has them",
    "client_possible": "the app on the device has all the texts",
  ]

  /// A test in words; one of a later release as it is called.
  static func text(_ code: String) -> String { all[code] ?? code }
}
