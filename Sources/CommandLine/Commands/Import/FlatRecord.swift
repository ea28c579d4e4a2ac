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

  /// The first text of a name.
  func text(_ name: String) -> String? { values[name]?.lazy.compactMap(\.plainText).first }

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
}

/// What a record has of a field of its format.
struct ForeignValue {
  typealias Member = (name: String, values: [JSONValue])

  /// The field's place in the record.
  let pointer: String
  /// By what the `*` of the field stands for; without one the name is empty.
  let all: [Member]

  /// The texts, numbers and booleans as such; empty ones left out.
  var texts: [String] { all.flatMap(\.values).compactMap(\.plainText) }

  /// The first of them.
  var text: String? { texts.first }

  /// A value for each name; of several a text with commas.
  var members: [(name: String, value: JSONValue)] {
    all.compactMap { name, values in
      guard let first = values.first else { return nil }
      let texts = values.compactMap(\.plainText).joined(separator: ",")
      return (name, values.count == 1 ? first : .string(texts))
    }
  }

  /// The refusal of a record of another push service.
  func refusal(_ detail: String) -> InputFailure {
    InputFailure(.unsupportedPlatform, at: pointer, detail)
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
