import JSON

/// The members of a JSON object in the order in which they are written.
///
/// Payload types list their members in the order of their names: no dictionary to build or sort for
/// each payload.
struct JSONMemberList {
  /// A member's value: JSON, or the members of one of our own objects.
  enum Value {
    case json(JSONValue)
    case members(JSONMemberList)
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
    members.sort { $0.key < $1.key }
  }

  func write(to writer: inout JSONWriter) {
    writer.object { writer in
      for (key, value) in members {
        writer.key(key)
        switch value {
        case .json(let json): writer.value(json)
        case .members(let list): list.write(to: &writer)
        }
      }
    }
  }
}
