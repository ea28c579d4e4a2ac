internal import Foundation
internal import JSON

/// A JSON value, to compare answers with literals: `#expect(reply.json["items"][0]["id"] == "a")`.
public enum JSON: Sendable, Hashable {
  /// A member or element that is not there; differs from null.
  case absent
  /// `null`.
  case null
  /// `true` or `false`.
  case bool(Bool)
  /// Any number.
  case number(Double)
  /// A string.
  case string(String)
  /// An array.
  case array([JSON])
  /// An object.
  case object([String: JSON])

  /// Parses JSON text; `absent` when it is none.
  public init(parsing bytes: [UInt8]) {
    self = JSONValue(parsing: bytes).map(JSON.init) ?? .absent
  }

  /// Reads YAML, for which Foundation has no reader; `absent` when that is not possible.
  public init(yaml bytes: [UInt8]) throws {
    let file = FileManager.default.temporaryDirectory.appending(path: "yaml \(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: file) }
    try Data(bytes).write(to: file)
    let python = Process()
    python.executableURL = URL(filePath: "/usr/bin/python3")
    python.arguments = [
      "-c",
      "import json, sys, yaml; value = yaml.load(open(sys.argv[1], 'rb'), yaml.CSafeLoader); "
        + "json.dump(value, open(sys.argv[1], 'w'))", file.path,
    ]
    try python.run()
    python.waitUntilExit()
    self.init(parsing: [UInt8](try Data(contentsOf: file)))
  }

  private init(_ value: JSONValue) {
    switch value {
    case .null: self = .null
    case .bool(let flag): self = .bool(flag)
    case .integer(let number): self = .number(Double(number))
    case .double(let number): self = .number(number)
    case .longNumber(let text): self = .number(Double(text) ?? .nan)
    case .string(let text): self = .string(text)
    case .array(let elements): self = .array(elements.map(JSON.init))
    case .object(let members):
      self = .object(Dictionary(members.map { ($0.key, JSON($0.value)) }) { $1 })
    }
  }

  /// A member of an object.
  public subscript(_ name: String) -> JSON {
    get { if case .object(let members) = self { members[name] ?? .absent } else { .absent } }
    set {
      var members = if case .object(let members) = self { members } else { [String: JSON]() }
      members[name] = newValue == .absent ? nil : newValue
      self = .object(members)
    }
  }

  /// An element of an array.
  public subscript(_ index: Int) -> JSON {
    if case .array(let elements) = self, elements.indices.contains(index) {
      elements[index]
    } else {
      .absent
    }
  }

  /// The text of a string.
  public var string: String? { if case .string(let text) = self { text } else { nil } }

  /// The elements of an array; none for anything else.
  public var elements: [JSON] { if case .array(let elements) = self { elements } else { [] } }

  /// The names of an object's members, sorted.
  public var names: [String] {
    if case .object(let members) = self { members.keys.sorted() } else { [] }
  }

  /// The JSON text.
  public var text: String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return (try? encoder.encode(self)).map { String(decoding: $0, as: UTF8.self) } ?? ""
  }
}

extension JSON: Encodable {
  /// Writes the value; whole numbers without a fraction.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .absent, .null: try container.encodeNil()
    case .bool(let flag): try container.encode(flag)
    case .number(let number):
      if let whole = Int64(exactly: number) {
        try container.encode(whole)
      } else {
        try container.encode(number)
      }
    case .string(let text): try container.encode(text)
    case .array(let elements): try container.encode(elements)
    case .object(let members): try container.encode(members)
    }
  }
}

extension JSON: ExpressibleByStringInterpolation, ExpressibleByBooleanLiteral,
  ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral, ExpressibleByArrayLiteral,
  ExpressibleByDictionaryLiteral, CustomStringConvertible
{
  /// A string.
  public init(stringLiteral value: String) { self = .string(value) }
  /// `true` or `false`.
  public init(booleanLiteral value: Bool) { self = .bool(value) }
  /// A whole number.
  public init(integerLiteral value: Int) { self = .number(Double(value)) }
  /// A number.
  public init(floatLiteral value: Double) { self = .number(value) }
  /// An array.
  public init(arrayLiteral elements: JSON...) { self = .array(elements) }
  /// An object; the last of two equal names counts.
  public init(dictionaryLiteral elements: (String, JSON)...) {
    self = .object(Dictionary(elements) { $1 })
  }
  /// The JSON text, and `absent` as that word.
  public var description: String { self == .absent ? "absent" : text }
}
