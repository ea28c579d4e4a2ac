/// What a field of a partial update asks for.
public enum Change<Value> {
  /// The field was left out: keep what is stored.
  case keep
  /// The field was `null`: clear it.
  case clear
  /// The field had a value.
  case set(Value)

  /// The value that results when `stored` is there now.
  public func applied(to stored: Value?) -> Value? {
    switch self {
    case .keep: stored
    case .clear: nil
    case .set(let value): value
    }
  }

  public func apply(to stored: inout Value?) {
    switch self {
    case .keep: break
    case .clear: stored = nil
    case .set(let value): stored = value
    }
  }

  /// Changes a stored value in place; `cleared` is the value that clearing leaves.
  public func apply(to stored: inout Value, cleared: @autoclosure () -> Value) {
    switch self {
    case .keep: break
    case .clear: stored = cleared()
    case .set(let value): stored = value
    }
  }

  public var value: Value? {
    if case .set(let value) = self { value } else { nil }
  }

  /// The same change of another type; a value that has no such form changes nothing.
  public func compactMap<Other>(_ transform: (Value) -> Other?) -> Change<Other> {
    switch self {
    case .keep: .keep
    case .clear: .clear
    case .set(let value): transform(value).map(Change<Other>.set) ?? .keep
    }
  }
}

extension Change: Sendable where Value: Sendable {}
extension Change: Equatable where Value: Equatable {}
