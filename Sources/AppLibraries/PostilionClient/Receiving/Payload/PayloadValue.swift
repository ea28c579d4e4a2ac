import Foundation

/// A value of a JSON payload.
///
/// JSON knows one kind of number. A number that is whole and fits 64 bits is read as ``integer``,
/// also if it was written as `3.0`; one that is whole and does not fit, as ``longInteger``; any
/// other one is a ``double``.
public enum PayloadValue: Sendable, Hashable {
  /// `null`.
  case null
  /// `true` or `false`.
  case bool(Bool)
  /// A whole number.
  case integer(Int64)
  /// A whole number beyond 64 bits, of at most 38 digits, such as `18446744073709551615`.
  case longInteger(Decimal)
  /// Any other number; one that is not finite is written as `null`.
  case double(Double)
  /// A text.
  case string(String)
  /// A list.
  case array([PayloadValue])
  /// Members by their names.
  case object([String: PayloadValue])

  /// Whether this is `null`.
  public var isNull: Bool { self == .null }

  /// A boolean; `nil` for anything else.
  public var bool: Bool? {
    if case .bool(let value) = self { value } else { nil }
  }

  /// A whole number of 64 bits; `nil` for anything else, also for a ``longInteger``.
  public var integer: Int64? {
    if case .integer(let value) = self { value } else { nil }
  }

  /// A number, whole or not, as near as a `Double` comes; `nil` for anything else.
  public var double: Double? {
    switch self {
    case .integer(let value): Double(value)
    case .longInteger(let value): Double(value.description)
    case .double(let value): value
    default: nil
    }
  }

  /// A text; `nil` for anything else.
  public var string: String? {
    if case .string(let value) = self { value } else { nil }
  }

  /// A list; `nil` for anything else.
  public var array: [PayloadValue]? {
    if case .array(let value) = self { value } else { nil }
  }

  /// The members of an object; `nil` for anything else.
  public var object: [String: PayloadValue]? {
    if case .object(let value) = self { value } else { nil }
  }

  /// A member of an object; `nil` if there is none, or this is no object.
  public subscript(name: String) -> PayloadValue? { object?[name] }

  /// An element of a list, counted from 0; `nil` if there is none, or this is no list.
  public subscript(index: Int) -> PayloadValue? {
    guard let array, array.indices.contains(index) else { return nil }
    return array[index]
  }

  /// What names something: a text that is not empty, or a number as its text; else `nil`.
  ///
  /// So an identifier is the same whether a sender writes `7` or `"7"`.
  public var identifier: String? {
    switch self {
    case .string(let text): text.isEmpty ? nil : text
    case .integer(let number): String(number)
    case .longInteger(let number): number.description
    case .double(let number): String(number)
    case .null, .bool, .array, .object: nil
    }
  }

  /// A switch as a device reads it (docs/apple.md 1.4): a number above 0 is on, and so is a text, a
  /// list or an object; 0, a number below it and `null` are off. To a device `true` is the number
  /// 1.
  public var isFlagged: Bool {
    switch self {
    case .null: false
    case .integer(let number): number > 0
    case .longInteger(let number): number > 0
    case .double(let number): number > 0
    case .bool(let value): value
    case .string, .array, .object: true
    }
  }
}

extension PayloadValue: ExpressibleByNilLiteral, ExpressibleByBooleanLiteral,
  ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral, ExpressibleByStringLiteral,
  ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
  /// `null`.
  public init(nilLiteral: ()) { self = .null }

  /// A boolean.
  public init(booleanLiteral value: Bool) { self = .bool(value) }

  /// A whole number.
  public init(integerLiteral value: Int64) { self = .integer(value) }

  /// A number.
  public init(floatLiteral value: Double) { self = .double(value) }

  /// A text.
  public init(stringLiteral value: String) { self = .string(value) }

  /// A list.
  public init(arrayLiteral elements: PayloadValue...) { self = .array(elements) }

  /// An object; of two members with one name the last counts.
  public init(dictionaryLiteral elements: (String, PayloadValue)...) {
    self = .object(Dictionary(elements) { _, last in last })
  }
}

extension PayloadValue {
  /// Whether another value is the same to the byte. Swift takes two spellings of é for one text,
  /// and to the service they are two tags or two people.
  public static func == (one: Self, other: Self) -> Bool {
    switch (one, other) {
    case (.null, .null): true
    case (.bool(let one), .bool(let other)): one == other
    case (.integer(let one), .integer(let other)): one == other
    case (.longInteger(let one), .longInteger(let other)): one == other
    case (.double(let one), .double(let other)): one == other
    case (.string(let one), .string(let other)): one.utf8.elementsEqual(other.utf8)
    case (.array(let one), .array(let other)): one == other
    case (.object(let one), .object(let other)):
      one.count == other.count
        && one.allSatisfy { name, value in
          guard let place = other.index(forKey: name) else { return false }
          return other[place].key.utf8.elementsEqual(name.utf8) && other[place].value == value
        }
    default: false
    }
  }
}
