internal import HTTP
internal import JSON

extension Response {
  static func json(_ value: some JSONWritable, _ status: Status = .ok) -> Response {
    json(text: value.json, status)
  }

  /// A JSON answer that is written already.
  static func json(text: [UInt8], _ status: Status = .ok) -> Response {
    Response(status, contentType: "application/json", bytes: text)
  }
}
