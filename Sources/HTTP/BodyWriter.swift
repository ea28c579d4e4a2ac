/// Where a response's body goes, piece by piece.
public protocol BodyWriter {
  /// Writes a piece, and returns when there is room for more.
  ///
  /// - Throws: when the peer is gone; the body then ends.
  func write(_ bytes: [UInt8]) async throws

  /// Sends what has gathered: the peer waits for it, and what comes next may take long.
  ///
  /// - Throws: when the peer is gone; the body then ends.
  func flush() async throws
}

/// A writer that keeps the body, for responses that go through no socket.
public final class CollectingWriter: BodyWriter {
  /// All that was written.
  public private(set) var bytes: [UInt8] = []

  /// A writer that has nothing yet.
  public init() {}

  /// Keeps a piece.
  public func write(_ bytes: [UInt8]) async throws { self.bytes += bytes }

  /// Nothing: all is kept.
  public func flush() async throws {}
}
