/// A response before it is framed and written.
public struct Response: Sendable {
  /// What follows the head.
  public enum Body: Sendable {
    /// No bytes.
    case empty
    /// All bytes at once.
    case bytes([UInt8])
    /// All bytes at once, of a file that never changes: they are in memory whether or not anybody
    /// reads them, and all answers share them.
    case fixed([UInt8])
    /// Bytes as they are made. Throwing cuts the connection, so that no part looks like the whole.
    case stream(@Sendable (any BodyWriter) async throws -> Void)
  }

  /// The status.
  public var status: Status
  /// The fields but those that the encoder writes.
  public var fields: ResponseFields
  /// The body; ignored for a status that forbids one.
  public var body: Body
  /// Whether a stream reads the request's body on while it writes. Each piece is then sent at once:
  /// the client may wait for it before it sends more.
  public var readsRequest = false

  /// A response.
  public init(_ status: Status, fields: ResponseFields = ResponseFields(), body: Body = .empty) {
    self.status = status
    self.fields = fields
    self.body = body
  }

  /// A response of bytes and their media type.
  public init(_ status: Status, contentType: String, bytes: [UInt8]) {
    self.init(status, contentType: contentType, body: .bytes(bytes))
  }

  /// A response of a file that never changes, and its media type.
  public init(_ status: Status, contentType: String, fixed bytes: [UInt8]) {
    self.init(status, contentType: contentType, body: .fixed(bytes))
  }

  /// A response of plain text.
  public init(_ status: Status, text: String) {
    self.init(status, contentType: "text/plain; charset=utf-8", bytes: Array(text.utf8))
  }

  /// A response that is written while it is made.
  public init(
    _ status: Status, contentType: String,
    stream: @escaping @Sendable (any BodyWriter) async throws -> Void
  ) {
    self.init(status, contentType: contentType, body: .stream(stream))
  }

  private init(_ status: Status, contentType: String, body: Body) {
    self.init(status, body: body)
    fields.append("Content-Type", contentType)
  }

  /// The whole body, for responses that go through no socket; a stream is run to its end.
  public func collectBody() async throws -> [UInt8] {
    switch body {
    case .empty: return []
    case .bytes(let bytes), .fixed(let bytes): return bytes
    case .stream(let write):
      let writer = CollectingWriter()
      try await write(writer)
      return writer.bytes
    }
  }
}
