/// Takes typed members out of an object; those that do not fit stay in ``rest``.
struct PayloadMembers {
  /// The members that nobody took.
  private(set) var rest: [String: PayloadValue]

  /// All members of an object.
  init(_ object: [String: PayloadValue]) {
    rest = object
  }

  /// Takes a member, if it can be read.
  mutating func take<Value>(_ name: String, _ read: (PayloadValue) -> Value?) -> Value? {
    guard let value = rest[name].flatMap(read) else { return nil }
    rest[name] = nil
    return value
  }

  /// Takes a text.
  mutating func text(_ name: String) -> String? { take(name, \.string) }

  /// Takes a whole number that fits the platform's integers.
  mutating func integer(_ name: String) -> Int? {
    take(name) { $0.integer.flatMap(Int.init(exactly:)) }
  }

  /// Takes a number.
  mutating func number(_ name: String) -> Double? { take(name, \.double) }

  /// Takes a list of nothing but texts.
  mutating func texts(_ name: String) -> [String]? {
    take(name) { value in
      guard let elements = value.array else { return nil }
      let texts = elements.compactMap(\.string)
      return texts.count == elements.count ? texts : nil
    }
  }
}

extension [String: PayloadValue] {
  /// Writes a member unless it is `nil`; a typed member stands before one of its name in the rest.
  mutating func put(_ name: String, _ value: PayloadValue?) {
    if let value { self[name] = value }
  }

  /// Writes a text unless it is `nil`.
  mutating func put(_ name: String, _ text: String?) { put(name, text.map(PayloadValue.string)) }

  /// Writes a whole number unless it is `nil`.
  mutating func put(_ name: String, _ number: Int?) {
    put(name, number.map { .integer(Int64($0)) })
  }

  /// Writes a number unless it is `nil`.
  mutating func put(_ name: String, _ number: Double?) {
    put(name, number.map({ PayloadValue(number: $0) }))
  }

  /// Writes a list of texts unless it is `nil`.
  mutating func put(_ name: String, _ texts: [String]?) {
    put(name, texts.map { .array($0.map(PayloadValue.string)) })
  }
}
