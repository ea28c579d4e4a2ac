/// A property of a type that holds a text, or several texts. They are compared and hashed by their
/// bytes, as the database does it (``Spelling``). It is for identifiers, keys and tags that others
/// chose.
@propertyWrapper
public struct Spelled<Value: SpelledValue>: Hashable, Sendable {
  public var wrappedValue: Value

  public init(wrappedValue: Value) { self.wrappedValue = wrappedValue }

  /// Whether two values have the same bytes.
  public static func == (one: Self, other: Self) -> Bool {
    one.wrappedValue.isSpelled(like: other.wrappedValue)
  }

  public func hash(into hasher: inout Hasher) { wrappedValue.hashSpelling(into: &hasher) }
}

/// A value that can be compared by its bytes.
public protocol SpelledValue: Sendable {
  /// Whether another value has the same bytes.
  func isSpelled(like other: Self) -> Bool
  func hashSpelling(into hasher: inout Hasher)
}

extension String: SpelledValue {
  public func hashSpelling(into hasher: inout Hasher) { Spelling(self).hash(into: &hasher) }
}

extension Optional: SpelledValue where Wrapped: SpelledValue {
  /// Whether both are there with the same bytes, or neither is.
  public func isSpelled(like other: Self) -> Bool {
    switch (self, other) {
    case (let one?, let other?): one.isSpelled(like: other)
    case (nil, nil): true
    default: false
    }
  }

  public func hashSpelling(into hasher: inout Hasher) {
    hasher.combine(self != nil)
    self?.hashSpelling(into: &hasher)
  }
}

extension Array: SpelledValue where Element: SpelledValue {
  /// Whether all elements have the same bytes, in order.
  public func isSpelled(like other: Self) -> Bool {
    elementsEqual(other) { $0.isSpelled(like: $1) }
  }

  public func hashSpelling(into hasher: inout Hasher) {
    hasher.combine(count)
    for element in self { element.hashSpelling(into: &hasher) }
  }
}

extension Sequence<String> {
  /// Whether one of the texts has the same bytes.
  public func containsSpelling(_ text: String) -> Bool { contains { $0.isSpelled(like: text) } }
}
