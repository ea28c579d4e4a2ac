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
