internal import ASCII
internal import JSON

/// A record of another service with all its values by their dotted names, whether it came as nested
/// JSON or as a CSV row.
///
///     {"User": {"UserAttributes": {"interests": ["music", "sports"]}}}
///         User.UserAttributes.interests: music, sports
struct FlatRecord: Sendable {
  private(set) var values: [Spelling: [JSONValue]] = [:]

  /// Flattens the members of an object; null is as if it were not there.
  init(_ members: JSONObject) {
    for (name, value) in members { add(value, name) }
  }

  /// Pairs a row with its header, in which a name may occur several times; empty cells are as if
  /// they were not there.
  init(names: [String], cells: [String?]) {
    for case (let name, let cell?) in zip(names, cells) where !cell.isEmpty {
      values[Spelling(name), default: []].append(.string(cell))
    }
  }

  private mutating func add(_ value: JSONValue, _ name: String) {
    switch value {
    case .null: break
    case .object(let members):
      for (member, value) in members { add(value, "\(name).\(member)") }
    case .array(let elements): for element in elements { add(element, name) }
    case .bool, .integer, .double, .longNumber, .string:
      values[Spelling(name), default: []].append(value)
    }
  }

  /// The texts of a name, numbers and booleans as such; empty ones left out.
  func texts(_ name: String) -> [String] { values[name]?.compactMap(\.plainText) ?? [] }

  /// The first of them.
  func text(_ name: String) -> String? { texts(name).first }

  /// The first text of several names.
  func text(anyOf names: String...) -> String? {
    names.lazy.compactMap { text($0) }.first
  }

  /// The value of a name; of several a text with commas.
  func value(_ name: String) -> JSONValue? {
    guard let values = values[name], let first = values.first else { return nil }
    return values.count == 1
      ? first : .string(values.compactMap(\.plainText).joined(separator: ","))
  }

  /// The values whose names begin with a prefix, without it.
  func members(of prefix: String) -> [(name: String, value: JSONValue)] {
    values.keys.map(\.text).compactMap { name in
      guard name.hasPrefix(prefix), let value = self.value(name) else { return nil }
      return (String(name.dropFirst(prefix.count)), value)
    }
  }
}

extension JSONValue {
  /// A scalar as text; `nil` when it is empty or none.
  fileprivate var plainText: String? {
    switch self {
    case .string(let text): text.isEmpty ? nil : text
    case .integer(let number): String(number)
    case .double(let number): String(number)
    case .longNumber(let text): text
    case .bool(let flag): String(flag)
    case .null, .array, .object: nil
    }
  }
}
