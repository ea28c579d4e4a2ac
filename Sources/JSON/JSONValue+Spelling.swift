internal import ASCII

extension JSONValue: Hashable {
  /// Whether another value is the same to the byte; the order of members does not matter. Swift
  /// takes two spellings of a letter for one (Unicode, canonical equivalence), and what is stored
  /// or sent must be the one that came.
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

  /// Hashes the bytes.
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
