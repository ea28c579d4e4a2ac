import ASCII

/// An argument of a message.
public enum ArgumentValue: Sendable, Hashable {
  /// A text, put in as it is; one that is a number in ASCII digits also serves as the number.
  case string(String)
  /// A whole number, written as the locale groups it and in the locale's digits.
  case integer(Int64)
  /// A number with its text for `%@`, which shows so many decimals (nil: as many as it has).
  case decimal(Double, text: String, fractionDigits: Int?)

  /// The value as text for a locale such as `en_IN`: 1234567 → `12,34,567`.
  ///
  /// Only the parts of `locale` that exist count, see `FormattingLocale`.
  public func text(locale: String) -> String {
    switch self {
    case .string(let text): text
    case .integer(let number): NumberText.text(number, locale: locale)
    case .decimal(_, let text, _): text
    }
  }

  /// Whether the value can serve as a number.
  public var isNumber: Bool { double != nil }

  /// Whether it is a number, and no text that looks like one.
  var isNumberByType: Bool {
    if case .string = self { false } else { true }
  }

  var integer: Int64? {
    switch self {
    case .string(let text): Int64(text)
    case .integer(let number): number
    case .decimal(let number, _, _): Int64(exactly: number)
    }
  }

  var double: Double? {
    switch self {
    case .string(let text): DecimalText(text)?.number
    case .integer(let number): Double(number)
    case .decimal(let number, _, _): number
    }
  }

  /// The value as a plural counts it, where a text shows it with so many decimals.
  func pluralNumber(decimals: Int?) -> PluralNumber? {
    if let decimals { return double.map { .decimal($0, fractionDigits: decimals) } }
    return pluralNumber
  }

  /// The value as its plural counts it.
  private var pluralNumber: PluralNumber? {
    switch self {
    case .string(let text): DecimalText(text)?.pluralNumber
    case .integer(let number): .integer(number)
    case .decimal(let number, _, let digits): .decimal(number, fractionDigits: digits)
    }
  }
}

/// A text such as `-3`, `1.50`: ASCII digits with one point at most, nothing else.
private struct DecimalText {
  let number: Double
  let pluralNumber: PluralNumber

  init?(_ text: String) {
    let digits = text.utf8.first == UInt8(ascii: "-") ? text.utf8.dropFirst() : text.utf8[...]
    let parts = digits.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard text.utf8.count <= Limits.decimalTextBytes, parts.count <= 2,
      parts.allSatisfy({ !$0.isEmpty && $0.allSatisfy(\.isASCIIDigit) }),
      let number = Double(text)
    else { return nil }
    self.number = number
    if let integer = Int64(text) {
      pluralNumber = .integer(integer)
    } else {
      pluralNumber = .decimal(number, fractionDigits: parts.count == 2 ? parts[1].count : 0)
    }
  }
}
