import Foundation

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
    writer.object { writer in
      for (name, value) in entries.sorted(by: Self.precedes) {
        writer.name(name)
        switch value {
        case .string(let text): writer.string(text)
        case .integer(let number): writer.literal(String(number))
        case .number(let number): writer.literal(String(number))
        case .bool(let flag): writer.literal(flag ? "true" : "false")
        case .null: writer.literal("null")
        }
      }
    }
    json = writer.text
  }

  /// `jsonb` keeps names by length, then by bytes.
  private static func precedes(_ left: (key: String, Value), _ right: (key: String, Value)) -> Bool
  {
    let (left, right) = (left.key.utf8, right.key.utf8)
    return left.count == right.count
      ? left.lexicographicallyPrecedes(right) : left.count < right.count
  }

  /// The values by name; empty when the text is no such object.
  var entries: [String: Value] {
    let object = try? JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any]
    return object?.compactMapValues(FoundationJSON.plain) ?? [:]
  }
}

extension Attributes {
  /// One value.
  enum Value: Hashable, Sendable {
    case string(String)
    case integer(Int64)
    case number(Double)
    case bool(Bool)
    case null

    /// Whether it is a text with U+0000.
    var containsNUL: Bool {
      if case .string(let text) = self { text.utf8.contains(0) } else { false }
    }
  }
}
