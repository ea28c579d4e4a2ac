internal import ASCII

/// Any JSON value.
///
/// A whole number that fits 64 bits is an integer, however it was written; any other number is a
/// `Double` if that writes the same number, and else its own text. So none loses a digit: `1.50` is
/// 1.5, and `18446744073709551615` stays as it is.
public enum JSONValue: Sendable {
  case null
  /// `true` or `false`.
  case bool(Bool)
  case integer(Int64)
  /// A number with a fraction or an exponent.
  case double(Double)
  /// Any other number, of more digits than 64 bits hold: its text.
  case longNumber(String)
  case string(String)
  case array([JSONValue])
  case object(JSONObject)
}

extension JSONValue {
  /// A member of an object.
  public subscript(_ name: String) -> JSONValue? {
    if case .object(let members) = self { members[name] } else { nil }
  }

  /// The elements of an array; none of anything else.
  public var elements: [JSONValue] {
    if case .array(let elements) = self { elements } else { [] }
  }

  /// The text of a string.
  public var text: String? { if case .string(let text) = self { text } else { nil } }

  /// Whether U+0000 is in it, in a text or in a name.
  public var containsNUL: Bool {
    switch self {
    case .string(let text): text.utf8.contains(0)
    case .array(let elements): elements.contains { $0.containsNUL }
    case .object(let members):
      members.contains { $0.key.utf8.contains(0) || $0.value.containsNUL }
    case .null, .bool, .integer, .double, .longNumber: false
    }
  }

  /// The reason to refuse a number that has no ``double``.
  public static let tooManyDigits = "The number has more digits than 64 bits hold."

  /// A number as a `Double`; `nil` for anything else, and where it would be another whole number.
  ///
  /// Some programs write each `Double` in 17 digits, so a number of up to 17 digits means the
  /// nearest `Double`: 0.10000000000000001 is 0.1.
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

extension JSONValue {
  /// Arrays and objects within each other at most; deeper is an attack on the stack.
  public static let maximumDepth = 512

  /// Reads one JSON text (RFC 8259) in UTF-8, strictly; `nil` when it is none.
  ///
  /// No trailing comma, no other encoding, no lone surrogate, no name twice in an object. A number
  /// keeps all its digits; one that is beyond a `double`, such as `1e400`, is refused.
  /// ``JSONFault/problems(in:)`` tells where a text goes wrong.
  ///
  /// Foundation's readers are not used: they take a typical registration 20 µs and this 4, and the
  /// difference was a fifth of all that the service spends on a request. They also take trailing
  /// commas and UTF-16, and round whole numbers.
  public init?(parsing text: [UInt8]) {
    // One look at the whole text: its parts between ASCII bytes are UTF-8 then too.
    guard (try? UTF8Span(validating: text.span)) != nil else { return nil }
    let value = text.withUnsafeBufferPointer { bytes in
      var parser = JSONParser<JSONValue>(bytes)
      return try? parser.document()
    }
    guard let value else { return nil }
    self = value
  }
}

extension JSONValue: JSONForm {
  init(_ value: JSONValue, at offset: Int) { self = value }
  init(elements: [JSONValue], at offset: Int) { self = .array(elements) }
  init(members: JSONObject, at offset: Int) { self = .object(members) }

  // With room for a few, as to grow from nothing is to move the first ones again and again.
  static var noMembers: JSONObject { JSONObject(minimumCapacity: 6) }

  static func add(
    _ value: JSONValue, name: String, at offset: Int, to members: inout JSONObject
  ) -> Bool {
    members.add(value, name: name)
  }
}

extension JSONValue: Hashable {
  /// Whether another value is the same to the byte; the order of members does not matter. Swift
  /// takes two spellings of a letter for one (Unicode, canonical equivalence), but a value must be
  /// stored and sent in the spelling in which it came.
  public static func == (one: Self, other: Self) -> Bool {
    switch (one, other) {
    case (.null, .null): true
    case (.bool(let one), .bool(let other)): one == other
    case (.integer(let one), .integer(let other)): one == other
    case (.double(let one), .double(let other)): one == other
    case (.longNumber(let one), .longNumber(let other)): one == other
    case (.string(let one), .string(let other)): one.isSpelled(like: other)
    case (.array(let one), .array(let other)): one == other
    case (.object(let one), .object(let other)): one == other
    default: false
    }
  }

  public func hash(into hasher: inout Hasher) {
    switch self {
    case .null: hasher.combine(0)
    case .bool(let flag): hasher.combine(flag)
    case .integer(let number): hasher.combine(number)
    case .double(let number): hasher.combine(number)
    case .string(let text), .longNumber(let text): hasher.combine(Spelling(text))
    case .array(let elements): hasher.combine(elements)
    case .object(let members): hasher.combine(members)
    }
  }

  /// About how many bytes it takes in memory: its texts, and 16 for each value.
  public var approximateBytes: Int {
    switch self {
    case .string(let text), .longNumber(let text): 16 + text.utf8.count
    case .array(let elements): elements.reduce(16) { $0 + $1.approximateBytes }
    case .object(let members):
      members.reduce(16) { $0 + $1.key.utf8.count + $1.value.approximateBytes }
    default: 16
    }
  }
}
