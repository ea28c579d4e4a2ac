/// What bounds a match, a text and a memo, each with its reason.
enum Limits {
  /// Devices report at most 50 preferred languages (the registry's bound); Apple's matcher costs
  /// time proportional to preferred × available.
  static let preferredLanguages = 50

  /// The largest real app bundle seen ships 107 localizations; four times that and some room.
  static let availableLocalizations = 512

  /// The longest identifier that `LanguageTag` accepts; ICU's own locale buffers hold 157 bytes.
  static let identifierBytes = 58

  /// A device sends at most 4096 bytes of payload, so no position beyond this can name an argument.
  static let argumentPosition = 4096

  /// One memo entry is about 300 bytes: a full memo is a few megabytes per event loop.
  static let memoizedMatches = 16_384

  /// Positions, widths and precisions stop counting here: an alert holds 4096 bytes.
  static let formatNumber = 4096

  /// UTF-8 bytes of a filled text; an alert holds 4096, and placeholders may repeat an argument.
  static let expandedBytes = 65_536

  /// Variables within variables. Real files nest twice; a variable that holds itself ends here.
  static let variableNesting = 8

  /// Variables filled in one text: those that hold each other twice would never end.
  static let variableExpansions = 256

  /// Problems told of one text.
  static let problems = 32

  /// Bytes of a text that is read as a number: 19 digits, a point and as many decimals.
  static let decimalTextBytes = 40
}
