/// A response before it is framed and written.
public struct Response: Sendable {
  public enum Body: Sendable {
    case empty
    /// All bytes at once.
    case bytes([UInt8])
    /// All bytes at once, of a file that never changes: they are in memory whether or not anybody
    /// reads them, and all answers share them.
    case fixed([UInt8])
    /// Bytes as they are made. Throwing cuts the connection, so that no part looks like the whole.
    case stream(@Sendable (any BodyWriter) async throws -> Void)
  }

  public var status: Status
  /// The fields but those that the encoder writes.
  public var fields: ResponseFields
  /// The body; ignored for a status that forbids one.
  public var body: Body
  /// Whether a stream goes on reading the request's body while it writes. Each piece is then sent
  /// at once: the client may wait for it before it sends more.
  public var readsRequest = false

  public init(_ status: Status, fields: ResponseFields = ResponseFields(), body: Body = .empty) {
    self.status = status
    self.fields = fields
    self.body = body
  }

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

/// The fields of a response, in order.
///
/// Nothing in here can break out of its line: a field whose name is not a token is dropped, and
/// every control character of a value becomes a space. `Content-Length`, `Transfer-Encoding`,
/// `Connection`, `Date` and `X-Content-Type-Options` are dropped too, as the encoder alone writes
/// them.
public struct ResponseFields: Sendable, Hashable {
  private(set) var fields: [Field] = []

  struct Field: Sendable, Hashable {
    var name: String
    var value: String
  }

  public init() {}

  /// All names and values, in order.
  public var all: [(name: String, value: String)] { fields.map { ($0.name, $0.value) } }

  /// Adds a line, even when there is one of that name.
  public mutating func append(_ name: String, _ value: String) {
    guard Self.isAllowed(name) else { return }
    if fields.isEmpty { fields.reserveCapacity(4) }
    fields.append(Field(name: name, value: Self.sanitized(value)))
  }

  private static func isAllowed(_ name: String) -> Bool {
    var name = name
    guard !name.isEmpty, name.withUTF8({ $0.allSatisfy(ByteSet.token.contains) }) else {
      return false
    }
    switch name.utf8.count {
    case 4: return !equalsIgnoringCase(name, "date")
    case 10: return !equalsIgnoringCase(name, "connection")
    case 14: return !equalsIgnoringCase(name, "content-length")
    case 17: return !equalsIgnoringCase(name, "transfer-encoding")
    case 22: return !equalsIgnoringCase(name, "x-content-type-options")
    default: return true
    }
  }

  private static func sanitized(_ value: String) -> String {
    var value = value
    if value.withUTF8({ isFieldContent($0, 0..<$0.count) }) { return value }
    return String(decoding: value.utf8.map { $0.isFieldContent ? $0 : 0x20 }, as: UTF8.self)
  }

  private static func equalsIgnoringCase(_ one: String, _ other: String) -> Bool {
    one.utf8.count == other.utf8.count
      && zip(one.utf8, other.utf8).allSatisfy { $0.lowercased == $1.lowercased }
  }
}
