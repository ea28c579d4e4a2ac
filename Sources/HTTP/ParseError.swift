/// Why bytes are not a request we take; the connection is closed after the answer, because where
/// the next request would begin is not known.
public struct ParseError: Error, Sendable, Hashable {
  /// The status to answer with.
  public let status: Status
  /// Stable, machine-readable, `snake_case`.
  public let code: String
  /// One sentence for the developer of the client; never bytes of the request.
  public let detail: String

  /// An error; the server adds its own, such as timeouts.
  public init(_ status: Status, _ code: String, _ detail: String) {
    self.status = status
    self.code = code
    self.detail = detail
  }

  /// A 400.
  static func malformed(_ code: String, _ detail: String) -> ParseError {
    ParseError(.badRequest, code, detail)
  }
}
