import ASCII
import JSON

/// The members of a JSON object while typed values are taken out of it.
///
/// A member of another type than asked for stays behind, and so does one that nobody asks for: the
/// rest is kept with the typed value, so that what others sent is written back as it was.
struct JSONMembers {
  var rest: JSONObject

  mutating func string(_ key: String) -> String? {
    guard case .string(let value) = rest[key] else { return nil }
    rest[key] = nil
    return value
  }

  mutating func word<Word: RawRepresentable<String>>(_ key: String) -> Word? {
    guard case .string(let value) = rest[key], let word = Word(spelled: value) else { return nil }
    rest[key] = nil
    return word
  }

  mutating func integer(_ key: String) -> Int? {
    guard case .integer(let value) = rest[key], let value = Int(exactly: value) else { return nil }
    rest[key] = nil
    return value
  }

  mutating func number(_ key: String) -> Double? {
    switch rest[key] {
    // A greater one may have no `Double` of its own, and would not be written as it was.
    case .integer(let value) where value.magnitude < 1 << 53:
      rest[key] = nil
      return Double(value)
    case .double(let value):
      rest[key] = nil
      return value
    default: return nil
    }
  }

  mutating func flag(_ key: String) -> Bool? {
    guard case .bool(let value) = rest[key] else { return nil }
    rest[key] = nil
    return value
  }

  mutating func object(_ key: String) -> JSONObject? {
    guard case .object(let value) = rest[key] else { return nil }
    rest[key] = nil
    return value
  }

  mutating func strings(_ key: String) -> [String]? {
    guard case .array(let elements) = rest[key] else { return nil }
    var strings: [String] = []
    for element in elements {
      guard case .string(let string) = element else { return nil }
      strings.append(string)
    }
    rest[key] = nil
    return strings
  }
}

/// The members of a JSON object in the order in which they are written.
///
/// Payload types list their members in the order of their names: no dictionary to build or sort for
/// each payload.
struct JSONMemberList {
  /// A member's value: JSON, or the members of one of our own objects.
  enum Value {
    case json(JSONValue)
    case members(JSONMemberList)
    /// The word of this number, see `JSONGap`.
    case gap(Int)
  }

  private(set) var members: [(key: String, value: Value)] = []

  init(capacity: Int) {
    members.reserveCapacity(capacity)
  }

  mutating func add(_ key: String, _ value: String?) {
    if let value { members.append((key, .json(.string(value)))) }
  }

  mutating func add(_ key: String, _ value: Int?) {
    if let value { members.append((key, .json(.integer(Int64(value))))) }
  }

  mutating func add(_ key: String, gap word: Int) {
    members.append((key, .gap(word)))
  }

  mutating func add(_ key: String, _ value: Bool?) {
    if let value { members.append((key, .json(.bool(value)))) }
  }

  mutating func add(_ key: String, _ value: Double?) {
    if let value { members.append((key, .json(.double(value)))) }
  }

  mutating func add(_ key: String, _ value: [String]?) {
    if let value { members.append((key, .json(.array(value.map { .string($0) })))) }
  }

  mutating func add(_ key: String, _ value: JSONObject?) {
    if let value { members.append((key, .json(.object(value)))) }
  }

  mutating func add(_ key: String, _ value: JSONMemberList?) {
    if let value { members.append((key, .members(value))) }
  }

  /// Adds what has no typed place; only then the order has to be made.
  mutating func add(rest: JSONObject) {
    guard !rest.isEmpty else { return }
    for (key, value) in rest { members.append((key, .json(value))) }
    members.sort { Spelling($0.key) < Spelling($1.key) }
  }

  func write(to writer: inout JSONWriter) {
    writer.object { writer in
      for (key, value) in members {
        writer.key(key)
        switch value {
        case .json(let json): writer.value(json)
        case .members(let list): list.write(to: &writer)
        case .gap(let word): writer.gap(word)
        }
      }
    }
  }
}
