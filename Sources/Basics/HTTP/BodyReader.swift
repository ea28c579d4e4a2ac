/// The body of a request, piece by piece.
public protocol BodyReader {
  /// The next piece, never empty; nil at the end, and ever after.
  func next() async throws -> [UInt8]?
  /// A piece that has arrived already, never empty; nil when one would have to be waited for, and
  /// at the end.
  func nextArrived() throws -> [UInt8]?
  /// The whole body.
  ///
  /// - Throws: `BodyTooLarge` as soon as there are more than `limit` bytes; `NoRoomForBody`.
  func collect(upTo limit: Int) async throws -> [UInt8]
}

/// A body was longer than its reader takes; the answer is 413.
public struct BodyTooLarge: Error, Sendable, Hashable {
  /// The bound that was passed, in bytes.
  public let limit: Int
  /// The length that the request told, in bytes.
  public let length: Int?

  public init(limit: Int, length: Int? = nil) {
    self.limit = limit
    self.length = length
  }
}

/// The bodies of other requests take all the memory that there is for them; the answer is 503.
public struct NoRoomForBody: Error, Sendable, Hashable {
  public init() {}
}

extension BodyReader {
  /// The whole body, in memory that nobody counts.
  public func collect(upTo limit: Int) async throws -> [UInt8] {
    var body: [UInt8] = []
    while let piece = try await next() {
      guard body.count + piece.count <= limit else { throw BodyTooLarge(limit: limit) }
      if body.isEmpty { body = piece } else { body += piece }
    }
    return body
  }
}

/// A body that is already here, for requests that come through no socket.
public final class BufferedBody: BodyReader {
  private var pieces: ArraySlice<[UInt8]>

  /// A body of one piece, or none when empty.
  public convenience init(_ bytes: [UInt8] = []) {
    self.init(pieces: [bytes])
  }

  public init(pieces: [[UInt8]]) {
    self.pieces = pieces.filter { !$0.isEmpty }[...]
  }

  public func next() async throws -> [UInt8]? { pieces.popFirst() }

  /// None: the pieces come one by one, as they were cut.
  public func nextArrived() throws -> [UInt8]? { nil }
}

/// Takes a response's body, piece by piece.
public protocol BodyWriter {
  /// Writes a piece, and returns when there is room for more.
  ///
  /// - Throws: when the peer is gone; the body then ends.
  func write(_ bytes: [UInt8]) async throws

  /// Sends the gathered bytes: the peer waits for them, and the next bytes may take long.
  ///
  /// - Throws: when the peer is gone; the body then ends.
  func flush() async throws
}

/// A writer that keeps the body, for responses that go through no socket.
public final class CollectingWriter: BodyWriter {
  /// All that was written.
  public private(set) var bytes: [UInt8] = []

  public init() {}

  public func write(_ bytes: [UInt8]) async throws { self.bytes += bytes }

  /// Nothing: all is kept.
  public func flush() async throws {}
}
