internal import Foundation
internal import HTTP

/// JSON answers: Foundation's encoder, keys sorted, no needless escapes.
enum JSONText {
  private static let encoder: JSONEncoder = {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return encoder
  }()

  /// The JSON text of a value of ours; `null` if it cannot be encoded, which its type rules out.
  static func encode(_ value: some Encodable) -> [UInt8] {
    (try? encoder.encode(value)).map { [UInt8]($0) } ?? Array("null".utf8)
  }
}

extension Response {
  /// A JSON answer.
  static func json(_ value: some Encodable, _ status: Status = .ok) -> Response {
    json(text: JSONText.encode(value), status)
  }

  /// A JSON answer that is written already.
  static func json(text: [UInt8], _ status: Status = .ok) -> Response {
    Response(status, contentType: "application/json", bytes: text)
  }
}

/// A page of a list (api.md, Lists).
struct Page<Item: Encodable & Sendable>: Encodable, Sendable {
  var items: [Item]
  /// Where the next page begins; `nil` on the last one, and then written as null.
  var nextCursor: String?

  init(items: [Item], nextCursor: String?) {
    self.items = items
    self.nextCursor = nextCursor
  }

  /// A page out of rows that were asked for with one more than the limit.
  init<Row, Position: Codable>(
    rows: [Row], limit: Int, view: (Row) -> Item, position: (Row) -> Position
  ) {
    let shown = rows.prefix(limit)
    items = shown.map(view)
    nextCursor = rows.count > limit ? shown.last.map { Cursor(key: position($0)).text } : nil
  }

  private enum CodingKeys: String, CodingKey {
    case items
    case nextCursor = "next_cursor"
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(items, forKey: .items)
    try container.encode(nextCursor, forKey: .nextCursor)
  }
}
