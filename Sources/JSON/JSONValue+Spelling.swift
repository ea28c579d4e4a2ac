extension JSONValue {
  /// Whether another value is the same to the byte, its members in the same order. `==` takes two
  /// spellings of a letter for one (Unicode, canonical equivalence), and what is sent must be the
  /// one that came.
  public func isSpelled(like other: JSONValue) -> Bool {
    switch (self, other) {
    case (.string(let one), .string(let other)): one.utf8.elementsEqual(other.utf8)
    case (.array(let one), .array(let other)):
      one.count == other.count && zip(one, other).allSatisfy { $0.isSpelled(like: $1) }
    case (.object(let one), .object(let other)):
      one.count == other.count
        && zip(one, other).allSatisfy { one, other in
          one.key.utf8.elementsEqual(other.key.utf8) && one.value.isSpelled(like: other.value)
        }
    default: self == other
    }
  }

  /// About how many bytes it takes in memory: its texts, and 16 for each value.
  public var approximateBytes: Int {
    switch self {
    case .string(let text): 16 + text.utf8.count
    case .array(let elements): elements.reduce(16) { $0 + $1.approximateBytes }
    case .object(let members):
      members.reduce(16) { $0 + $1.key.utf8.count + $1.value.approximateBytes }
    default: 16
    }
  }
}
