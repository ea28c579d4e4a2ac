public import ASCII

/// The members of a JSON object: names with values, each name once. Names are one when their bytes
/// are the same: two spellings of é are two (RFC 8259 section 8.3).
///
/// A list in the order in which the members came, as nearly all objects have few: to compare a name
/// with ten others costs less than a hash of it, and the members of a request are looked for once
/// each. From ``indexedCount`` on there is an index beside it. Equality does not look at the order.
public struct JSONObject: Sendable {
  public typealias Element = (key: String, value: JSONValue)

  private var members: [Element] = []
  /// The places of all names, when there are many.
  private var index: [Spelling: Int] = [:]

  /// The count at which an index is made: from here on a hash is quicker.
  static let indexedCount = 24

  public init() {}

  init(minimumCapacity: Int) { members.reserveCapacity(minimumCapacity) }

  /// The members in the order of their names, as bytes.
  public var inOrder: [Element] { members.sorted { Spelling($0.key) < Spelling($1.key) } }

  private func place(of name: String) -> Int? {
    guard index.isEmpty else { return index[Spelling(name)] }
    return members.indices.first { members[$0].key.isSpelled(like: name) }
  }

  private mutating func makeIndex() {
    index = [:]
    guard members.count >= Self.indexedCount else { return }
    index = Dictionary(members.enumerated().map { (Spelling($1.key), $0) }) { $1 }
  }

  /// Adds a member.
  /// - Returns: `false` when there is one of that name, which stays.
  mutating func add(_ value: JSONValue, name: String) -> Bool {
    guard index.isEmpty else {
      if let place = index.updateValue(members.count, forKey: Spelling(name)) {
        index[Spelling(name)] = place
        return false
      }
      members.append((name, value))
      return true
    }
    guard place(of: name) == nil else { return false }
    members.append((name, value))
    if members.count == Self.indexedCount { makeIndex() }
    return true
  }

  /// The value of a name; `nil` where there is none, and to remove it.
  public subscript(name: String) -> JSONValue? {
    get { place(of: name).map { members[$0].value } }
    set {
      switch (place(of: name), newValue) {
      case (let place?, let value?): members[place].value = value
      case (nil, let value?): _ = add(value, name: name)
      case (let place?, nil):
        members.remove(at: place)
        makeIndex()
      case (nil, nil): break
      }
    }
  }

  /// Removes a member.
  /// - Returns: Its value, if it was there.
  @discardableResult
  public mutating func removeValue(forKey name: String) -> JSONValue? {
    defer { self[name] = nil }
    return self[name]
  }

  public var keys: some Collection<String> { members.lazy.map(\.key) }

  public var values: some Collection<JSONValue> { members.lazy.map(\.value) }

  public func filter(_ isIncluded: (Element) throws -> Bool) rethrows -> JSONObject {
    JSONObject(try members.filter(isIncluded))
  }

  public func mapValues<Value>(
    _ transform: (JSONValue) throws -> Value
  ) rethrows -> [Spelling: Value] {
    try Dictionary(members.map { (Spelling($0.key), try transform($0.value)) }) { $1 }
  }

  /// Takes the members of another object; where both have a name, `combine` chooses the value.
  public mutating func merge(_ other: JSONObject, _ combine: (JSONValue, JSONValue) -> JSONValue) {
    for (name, value) in other { self[name] = self[name].map { combine($0, value) } ?? value }
  }
}

extension JSONObject: RandomAccessCollection {
  public var startIndex: Int { members.startIndex }
  public var endIndex: Int { members.endIndex }
  public subscript(position: Int) -> Element { members[position] }
}

extension JSONObject: ExpressibleByDictionaryLiteral {
  /// An object of a literal; of members with one name the last counts.
  public init(dictionaryLiteral elements: (String, JSONValue)...) {
    for (name, value) in elements { self[name] = value }
  }

  /// An object of members; of those with one name the last counts.
  public init(_ members: some Sequence<Element>) {
    for (name, value) in members { self[name] = value }
  }
}

extension JSONObject: Hashable {
  /// Whether both have the same members, in any order.
  public static func == (one: Self, other: Self) -> Bool {
    one.count == other.count
      && one.members.indices.allSatisfy { index in
        let (name, value) = one.members[index]
        // Most have their members in the same order.
        let isSame = other.members[index].key.isSpelled(like: name)
        return (isSame ? index : other.place(of: name)).map { other.members[$0].value == value }
          ?? false
      }
  }

  /// The order of the members does not matter.
  public func hash(into hasher: inout Hasher) {
    var sum = 0
    for (name, value) in self {
      var member = Hasher()
      member.combine(Spelling(name))
      member.combine(value)
      sum ^= member.finalize()
    }
    hasher.combine(sum)
  }
}
