/// An answer as a client sees it, however it came.
public struct Reply: Sendable {
  /// The status code.
  public var status: Int
  /// The fields in order.
  public var fields: [(name: String, value: String)]
  /// The whole body.
  public var body: [UInt8]

  init(status: Int, fields: [(String, String)], body: [UInt8]) {
    self.status = status
    self.fields = fields.map { ($0, $1) }
    self.body = body
  }

  /// The value of a field, letter case aside.
  public subscript(_ name: String) -> String? {
    fields.first { $0.name.lowercased() == name.lowercased() }?.value
  }

  /// The body as text.
  public var text: String { String(decoding: body, as: UTF8.self) }

  /// The body as JSON.
  public var json: JSON { JSON(parsing: body) }

  /// The `code` of a problem document; `nil` when the answer is none of ours.
  public var problem: String? {
    guard self["content-type"] == "application/problem+json", status == json["status"].whole,
      json["request_id"].string == self["x-request-id"]
    else { return nil }
    return json["code"].string
  }

  /// The faults of the input as `pointer code`.
  public var faults: [String] { Self.faults(json["errors"]) }

  /// What was left out of the input, as `pointer code`.
  public var ignored: [String] { Self.faults(json["ignored"]) }

  private static func faults(_ list: JSON) -> [String] {
    list.elements.map { "\($0["pointer"].string ?? "?") \($0["code"].string ?? "?")" }
  }
}

extension JSON {
  /// A whole number.
  public var whole: Int? {
    if case .number(let number) = self { Int(exactly: number) } else { nil }
  }
}
