/// How long the server waits for a peer, each with its reason.
public struct ServerTimeouts: Sendable {
  /// From the first byte of a request to the end of its head: honest clients send it in one piece;
  /// slow ones on bad mobile links need a few round trips.
  public var headNanoseconds: UInt64 = 10_000_000_000
  /// Between two pieces of a body.
  public var bodyNanoseconds: UInt64 = 30_000_000_000
  /// Between two requests: longer than the usual 60 s of balancers, so that they close first and
  /// no request meets a closing connection.
  public var idleNanoseconds: UInt64 = 75_000_000_000
  /// Without any progress in writing an answer.
  public var writeNanoseconds: UInt64 = 30_000_000_000
  /// For the peer to take the last answer of a connection that we close.
  public var lingerNanoseconds: UInt64 = 2_000_000_000
  /// For requests under way once the server is told to stop.
  public var drainNanoseconds: UInt64 = 10_000_000_000

  /// The timeouts in use; tests shorten them.
  public init() {}
}

/// The server's bounds, each with its reason.
enum Limits {
  /// Connections per loop: ten thousand idle phones' worth with room, and far below what a loop's
  /// memory allows; more wait in the kernel's backlog.
  static let connections = 32_768
  /// Bytes of an unread body that are read and dropped to keep the connection; for more it is
  /// cheaper to close it.
  static let discardedBodyBytes = 64 * 1024
  /// Bytes that are read and dropped after the last answer of a connection: a large upload may be
  /// on its way when it is refused, and its client looks at the answer once all is sent.
  static let lingerBytes = 32 * 1024 * 1024
  /// Bytes of answers gathered before they are written: pipelined small answers and streamed lines
  /// share a system call.
  static let outputBytes = 32 * 1024
  /// Capacity that a connection keeps between requests.
  static let keptOutputBytes = 4 * 1024
}
