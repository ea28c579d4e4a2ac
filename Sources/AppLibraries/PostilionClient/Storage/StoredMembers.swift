extension KeyedDecodingContainer {
  /// A member of what an earlier release has stored; the other value where the member is missing or
  /// cannot be read. So a state loses one member, and not the whole.
  func stored<Value: Decodable>(_ key: Key, or other: Value) -> Value {
    (try? decode(Value.self, forKey: key)) ?? other
  }

  /// The elements of a stored list that can be read.
  func storedList<Element: Decodable>(_ key: Key) -> [Element] {
    stored(key, or: [Readable<Element>]()).compactMap(\.value)
  }
}

/// An element of a stored list; `nil` when it cannot be read.
private struct Readable<Value: Decodable>: Decodable {
  let value: Value?

  init(from decoder: any Decoder) throws {
    value = try? Value(from: decoder)
  }
}
