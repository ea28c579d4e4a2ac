/// The bounds of a match, a text and a memo, each with its reason.
enum Limits {
  /// Devices report at most 50 preferred languages (the registry's bound); Apple's matcher costs
  /// time proportional to preferred × available.
  static let preferredLanguages = 50

  /// The largest real app bundle seen ships 107 localizations; four times that and some room.
  static let availableLocalizations = 512

  /// The longest identifier that `LanguageTag` accepts; ICU's own locale buffers hold 157 bytes.
  static let identifierBytes = 58

  /// Bytes of a locale with its keywords that are read: what ICU's own buffers hold.
  static let localeBytes = 157

  /// Locales with keywords that Foundation is asked for: some megabytes.
  static let localesWithKeywords = 4096

  /// A device sends at most 4096 bytes of payload, so no position beyond this can name an argument.
  static let argumentPosition = 4096

  /// A list of more languages is not remembered. Few people have more than three.
  static let memoizedTags = 8
  /// An entry of three languages is about 300 bytes, the largest about 1.5 kB: a full memo is a few
  /// megabytes per event loop, and 25 at most.
  static let memoizedMatches = 16_384

  /// Positions, widths and precisions stop counting here: an alert holds 4096 bytes.
  static let formatNumber = 4096

  /// UTF-8 bytes of a filled text; an alert holds 4096, and placeholders may repeat an argument.
  static let expandedBytes = 65_536

  /// Variables within variables. Real files nest twice; a variable that holds itself ends here.
  static let variableNesting = 8

  /// Variables filled in one text: variables that hold each other twice would never end.
  static let variableExpansions = 256

  /// UTF-8 bytes of a text and of the cases that are put into it: a few milliseconds.
  static let readBytes = 1 << 20

  /// Placeholders filled in one text, and percent signs beside them. An alert of 4096 bytes has no
  /// use for as many; Foundation takes up to 50 microseconds for a number.
  static let placeholders = 512

  /// Bytes of the attributes in parentheses behind marked words: a text of nothing but openings
  /// would take hours.
  static let attributeBytes = 1024

  /// Problems told of one text.
  static let problems = 32

  /// Unicode scalars of a placeholder or name that a problem quotes: both may be as long as a text.
  static let problemScalars = 80

  /// Bytes of a text that is read as a number: 19 digits, a point and as many decimals.
  static let decimalTextBytes = 40

  /// UTF-16 units of a number in ICU's fast way: the largest has 309 digits, 103 groups and 20
  /// decimals.
  static let formattedUnits = 512

  /// Decimals of numbers in ICU's fast way; a `Double` has no more of its own.
  static let keptDecimals = 20

  /// Number formatters that are kept, some 4 kB each.
  static let numberFormatters = 1024

  /// Date formatters that are kept, some 50 kB each: a full memo is 25 megabytes.
  static let dateFormatters = 512

  /// Sets of five formatters for durations that are kept, some 20 kB each.
  static let durationFormatters = 512

  /// Digits behind the point of a hexadecimal number: a `Double` has 13, more are zeros.
  static let hexadecimalDigits = 200

  /// Digits of numbers whose look is kept: a `Double` holds any of 15.
  static let patternDigits = 15

  /// Decimals of numbers whose look is kept; prices have two, three at most.
  static let patternDecimals = 3
}
