internal import EventLoop

/// How long the server waits for a peer, and how slow one may be, each with its reason.
public struct ServerTimeouts: Sendable {
  /// From the first byte of a request to the end of its head: honest clients send it in one piece;
  /// slow ones on bad mobile links need a few round trips.
  public var headNanoseconds: UInt64 = 10_000_000_000
  /// The allowance of a body's ``PeerAllowance``: a phone's link may be gone for some seconds, and
  /// a report of two kilobytes has arrived by then at any rate.
  public var bodyNanoseconds: UInt64 = 30_000_000_000
  /// The rate of a body's ``PeerAllowance``: 128 kbit/s. A report is over after 34 s at the latest,
  /// the largest catalog after 35 min; an import goes on for as long as its client keeps to it.
  public var bodyBytesPerSecond: UInt64 = 16_000
  /// Between two requests: longer than the usual 60 s of balancers, so that they close first and
  /// no request meets a closing connection.
  public var idleNanoseconds: UInt64 = 75_000_000_000
  /// The part of that time in which the connection is ready to go on at once. Then it is parked,
  /// which frees the six kilobytes of memory that its requests took; the next request takes them
  /// anew.
  public var parkNanoseconds: UInt64 = 500_000_000
  /// The allowance of the ``PeerAllowance`` at which an answer is read. We do not wait for bytes
  /// that the kernel's buffers hold, so this is only about large answers.
  public var writeNanoseconds: UInt64 = 10_000_000_000
  /// The rate of that allowance, for an answer that is in memory: 128 kbit/s, as for bodies. The
  /// largest file is over after 35 s at the latest; a phone's answers fit the kernel's buffers.
  public var writeBytesPerSecond: UInt64 = 16_000
  /// The rate for an answer that is made while it is read, which holds its buffer and one of few
  /// places. A reader may work on each line, so this is far below the rate of any reader that means
  /// it.
  public var streamBytesPerSecond: UInt64 = 1_000
  /// How long we wait for the next bytes of a peer that is to take the last answer of a connection
  /// that we close.
  public var lingerNanoseconds: UInt64 = 2_000_000_000
  /// How long we wait for all of these bytes: as long as a refused upload may go on before its
  /// client looks at the answer.
  public var lingerTotalNanoseconds: UInt64 = 30_000_000_000
  /// How long a server that is told to stop waits for requests that are on their way on idle
  /// connections: a round trip on a mobile link.
  public var graceNanoseconds: UInt64 = 500_000_000
  /// How long a server that is told to stop waits for requests under way.
  public var drainNanoseconds: UInt64 = 10_000_000_000

  /// The timeouts in use; tests shorten them.
  public init() {}

  var bodyAllowance: PeerAllowance {
    PeerAllowance(allowanceNanoseconds: bodyNanoseconds, bytesPerSecond: bodyBytesPerSecond)
  }
  /// The allowance of a body whose answer is written meanwhile. Its client may wait for answers
  /// before it sends more, so we give up only a client that says nothing at all for that time.
  var duplexAllowance: PeerAllowance {
    PeerAllowance(allowanceNanoseconds: bodyNanoseconds, bytesPerSecond: 1)
  }
  var writeAllowance: PeerAllowance {
    PeerAllowance(allowanceNanoseconds: writeNanoseconds, bytesPerSecond: writeBytesPerSecond)
  }
  var streamAllowance: PeerAllowance {
    PeerAllowance(allowanceNanoseconds: writeNanoseconds, bytesPerSecond: streamBytesPerSecond)
  }
}

/// The server's bounds, each with its reason.
enum Limits {
  /// Connections per loop: ten thousand idle phones' worth with room, and far below what a loop's
  /// memory allows; more wait in the kernel's backlog.
  static let connections = 32_768
  /// Connections at once, after which the memory of those that are gone is given back to the
  /// system: of two thousand connections the allocator kept 90 MB.
  static let trimmedConnections = 256
  /// Bytes that are held for clients, of all loops: four of the largest catalogs, or two thousand
  /// of the largest reports. One client alone may have a third: one of the largest catalogs, and
  /// some.
  static let clientBytes = 128 * 1024 * 1024
  /// Bytes that a waiting connection may hold and that are not counted: the connection itself takes
  /// more memory than that.
  static let uncountedBytes = 4 * 1024
  /// Bytes of a body that are moved as it grows; from then on it has room for the length that it
  /// was announced with. A client that announces more than it sends has sent this much at least.
  static let movedBodyBytes = 1 << 20
  /// Bytes that were held for clients at once, after which freed memory is given back to the
  /// system: for less it is not worth the milliseconds. An upload of a large catalog is more.
  static let trimmedClientBytes = 4 * 1024 * 1024
  /// Bytes of an unread body that have arrived and are dropped to keep the connection; for more it
  /// is cheaper to close it.
  static let discardedBodyBytes = 64 * 1024
  /// Bytes that are read and dropped after the last answer of a connection: a large upload may be
  /// on its way when it is refused, and its client looks at the answer once all is sent. Twice the
  /// largest body, as a proxy sends all that it has gathered.
  static let lingerBytes = 64 * 1024 * 1024
  /// Bytes of answers gathered before they are written: pipelined small answers and streamed lines
  /// share a system call.
  static let outputBytes = 32 * 1024
  /// Bytes of the longest body that is gathered; a longer body is written without a copy. To copy
  /// so much takes as long as a system call.
  static let gatheredBodyBytes = 16 * 1024
  /// Capacity that a connection keeps between requests.
  static let keptOutputBytes = 4 * 1024
}
