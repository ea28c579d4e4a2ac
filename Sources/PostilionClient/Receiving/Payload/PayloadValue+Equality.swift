extension PayloadValue {
  /// Whether another value is the same to the byte. Swift takes two spellings of é for one text,
  /// and to the service they are two tags or two people.
  public static func == (one: Self, other: Self) -> Bool {
    switch (one, other) {
    case (.null, .null): true
    case (.bool(let one), .bool(let other)): one == other
    case (.integer(let one), .integer(let other)): one == other
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
