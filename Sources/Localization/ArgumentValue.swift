internal import FoundationEssentials
internal import FoundationInternationalization

/// An argument of a message.
public enum ArgumentValue: Sendable, Hashable {
  /// A text, put in as it is.
  case string(String)
  /// A whole number, written as the locale groups it and in the locale's digits.
  case integer(Int64)
  /// A number with its text for `%@`, which shows so many decimals (nil: as many as it has).
  case decimal(Double, text: String, fractionDigits: Int?)

  /// The value as text for a locale such as `en_IN`: 1234567 → `12,34,567`.
  ///
  /// Only the language, script and region of `locale` count, see `FormattingLocale`.
  public func text(locale: String) -> String {
    switch self {
    case .string(let text): text
    case .integer(let number):
      number.formatted(
        IntegerFormatStyle<Int64>(locale: Locale(identifier: FormattingLocale.known(locale))))
    case .decimal(_, let text, _): text
    }
  }

  /// The value as a whole number: an integer, or a string that is one in ASCII digits.
  var integer: Int64? {
    switch self {
    case .string(let text): Int64(text)
    case .integer(let number): number
    case .decimal(let number, _, _): Int64(exactly: number)
    }
  }
}
