/// Any JSON value.
///
/// A whole number that fits 64 bits is an integer, however it was written; any other number is a
/// `Double` if that writes the same number, and else its own text. So none loses a digit: `1.50` is
/// 1.5, and `18446744073709551615` stays as it is.
public enum JSONValue: Sendable {
  /// JSON `null`.
  case null
  /// `true` or `false`.
  case bool(Bool)
  /// A whole number.
  case integer(Int64)
  /// A number with a fraction or an exponent.
  case double(Double)
  /// Any other number, of more digits than 64 bits hold: its text.
  case longNumber(String)
  /// A string.
  case string(String)
  /// An array.
  case array([JSONValue])
  /// An object.
  case object(JSONObject)
}

extension JSONValue {
  /// Why a number is refused that has no ``double``.
  public static let tooManyDigits = "The number has more digits than 64 bits hold."

  /// A number as a `Double`; `nil` for anything else, and where it would be another whole number.
  ///
  /// Some write each `Double` in 17 digits, so of as many the nearest is meant:
  /// 0.10000000000000001 is 0.1.
  public var double: Double? {
    switch self {
    case .integer(let number): return Double(exactly: number)
    case .double(let number): return number
    case .longNumber(let text):
      guard let number = Double(text), number.magnitude < 0x1p53 else { return nil }
      return DecimalDigits(text.utf8).digits.count <= 17 ? number : nil
    case .null, .bool, .string, .array, .object: return nil
    }
  }

  /// The value's type with its article, for messages to developers: `an integer`.
  var article: String {
    switch self {
    case .null: "null"
    case .bool: "a boolean"
    case .integer: "an integer"
    case .double: "a number with a fraction"
    case .longNumber: "a number of more digits than 64 bits hold"
    case .string: "a string"
    case .array: "an array"
    case .object: "an object"
    }
  }
}
