import ASCII
import JSON

/// The members of a JSON object while typed values are taken out of it.
///
/// A member of another type than asked for stays behind, and so does a member that nobody asks for.
/// The rest is kept with the typed value, so that members that others sent are written back as they
/// were.
struct JSONMembers {
  var rest: JSONObject

  /// Takes a member that has a value of a type.
  private mutating func take<Value>(_ key: String, _ read: (JSONValue) -> Value?) -> Value? {
    guard let value = rest[key].flatMap(read) else { return nil }
    rest[key] = nil
    return value
  }

  mutating func string(_ key: String) -> String? { take(key, \.text) }
  mutating func integer(_ key: String) -> Int? { take(key, \.integer) }
  mutating func number(_ key: String) -> Double? { take(key, \.exactNumber) }
  mutating func object(_ key: String) -> JSONObject? { take(key, \.object) }
  mutating func strings(_ key: String) -> [String]? { take(key, \.texts) }
}

/// A value of a type, or none.
extension JSONValue {
  var integer: Int? { if case .integer(let value) = self { Int(exactly: value) } else { nil } }
  var bool: Bool? { if case .bool(let value) = self { value } else { nil } }
  var object: JSONObject? { if case .object(let value) = self { value } else { nil } }

  var exactNumber: Double? {
    switch self {
    // A greater one may have no `Double` of its own, and would not be written as it was.
    case .integer(let value) where value.magnitude < 1 << 53: Double(value)
    case .double(let value): value
    default: nil
    }
  }

  var texts: [String]? {
    guard case .array(let elements) = self else { return nil }
    let strings = elements.compactMap(\.text)
    return strings.count == elements.count ? strings : nil
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

  mutating func add(_ key: String, _ value: APSValue) {
    switch value {
    case .alert(.text(let text)), .sound(.named(let text)), .text(let text): add(key, text)
    case .alert(.object(let alert)): add(key, alert.members)
    case .sound(.critical(let sound)): add(key, sound.members)
    case .integer(let number): add(key, number)
    case .gap(let word): members.append((key, .gap(word)))
    case .number(let number): members.append((key, .json(.double(number))))
    case .truth(let truth): members.append((key, .json(.bool(truth))))
    case .object(let object): members.append((key, .json(.object(object))))
    case .texts(let texts): add(key, texts)
    }
  }

  mutating func add(_ key: String, _ value: Double?) {
    if let value { members.append((key, .json(.double(value)))) }
  }

  mutating func add(_ key: String, _ value: [String]?) {
    if let value { members.append((key, .json(.array(value.map { .string($0) })))) }
  }

  mutating func add(_ key: String, _ value: JSONMemberList?) {
    if let value { members.append((key, .members(value))) }
  }

  /// Adds the members that have no typed place. Only if there are any, the order has to be made.
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
