import FoundationEssentials

/// An app's own facts about an installation: names with text, number, boolean or null values.
///
/// It is held as JSON text in PostgreSQL's own spelling of `jsonb` (names by length, then bytes),
/// so that "has anything changed" compares two texts. A number with an exponent is spelled
/// differently by the server; it only costs a write at the next report.
struct Attributes: Hashable, Sendable {
  /// The JSON text.
  let json: String

  /// Attributes read from the database.
  init(json: String) { self.json = json }

  /// Encodes values.
  init(_ entries: [String: Value]) {
    var writer = JSONTextWriter()
    writer.object(entries) { writer, value in
      switch value {
      case .string(let text): writer.string(text)
      case .integer(let number): writer.literal(String(number))
      case .number(let number): writer.literal(String(number))
      case .bool(let flag): writer.literal(flag ? "true" : "false")
      case .null: writer.literal("null")
      }
    }
    json = writer.text
  }

  /// The values by name; empty when the text is no such object.
  var entries: [String: Value] {
    (try? JSONDecoder().decode([String: Value].self, from: Data(json.utf8))) ?? [:]
  }
}

extension Attributes {
  /// One value.
  enum Value: Hashable, Sendable, Codable {
    case string(String)
    case integer(Int64)
    case number(Double)
    case bool(Bool)
    case null

    init(from decoder: any Decoder) throws {
      let container = try decoder.singleValueContainer()
      if let text = try? container.decode(String.self) {
        self = .string(text)
      } else if let number = try? container.decode(Int64.self) {
        self = .integer(number)
      } else if let number = try? container.decode(Double.self), number.isFinite {
        self = .number(number)
      } else if let flag = try? container.decode(Bool.self) {
        self = .bool(flag)
      } else if container.decodeNil() {
        self = .null
      } else {
        throw DecodingError.typeMismatch(
          Value.self, .init(codingPath: decoder.codingPath, debugDescription: "not a plain value"))
      }
    }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      switch self {
      case .string(let text): try container.encode(text)
      case .integer(let number): try container.encode(number)
      case .number(let number): try container.encode(number)
      case .bool(let flag): try container.encode(flag)
      case .null: try container.encodeNil()
      }
    }

    /// Whether it is a text with U+0000.
    var containsNUL: Bool {
      if case .string(let text) = self { text.utf8.contains(0) } else { false }
    }
  }
}
