internal import CLibpq
internal import CLinux
internal import EventLoop
internal import Glibc

/// A libpq connection on a loop: connecting, waiting for its socket, and nothing else. What is said
/// over it is its owner's business: pipelined statements, `COPY` or `LISTEN`.
///
/// Each phase is an explicit state:
/// - `connecting`: libpq negotiates; goes to `open` or `closed`.
/// - `open`: the owner talks; goes to `closed`.
/// - `closed`: libpq's object is gone; the link is not used again.
final class Link: LoopHandler {
  /// Where the link stands.
  enum Phase { case connecting, open, closed }

  let loop: EventLoop
  private(set) var phase = Phase.connecting
  private(set) var connection: OpaquePointer?
  private var key: LoopKey?
  private var descriptor: Int32 = -1
  private var interest: Readiness = []
  private var deadline: UInt64 = .max
  private var opened: UnsafeContinuation<PostgresError?, Never>?
  /// Called when the socket is ready in the `open` phase.
  var onReady: () -> Void = {}
  /// Called when the deadline set with ``expectAnswer(within:)`` passes.
  var onSilence: () -> Void = {}

  init(loop: EventLoop) { self.loop = loop }

  deinit { if let connection { PQfinish(connection) } }

  /// Connects; the link is open on return.
  /// - Parameter options: Server settings for this session, as `-c name=value`.
  func open(_ conninfo: String, options: String) async throws(PostgresError) {
    // The later keyword wins: what the user's own URL says about options stands before ours.
    let keywords = ["fallback_application_name", "options", "dbname", "client_encoding"]
    let values = ["postilion", options, conninfo, "UTF8"]
    let started = withCStrings(keywords) { keywords in
      withCStrings(values) { values in PQconnectStartParams(keywords, values, 1) }
    }
    guard let started else { throw PostgresError(.misuse, "libpq is out of memory") }
    connection = started
    guard PQstatus(started) != CONNECTION_BAD else { throw closeWithError() }
    PQsetnonblocking(started, 1)
    watch(.writable)
    setDeadline(loop.nanoseconds + Limits.connectNanoseconds)
    let failure = await withUnsafeContinuation { opened = $0 }
    if let failure { throw failure }
  }

  /// Moves the descriptor, which libpq may replace while it tries hosts, under the loop's eyes.
  private func watch(_ wanted: Readiness) {
    let current = PQsocket(connection)
    if current == descriptor, wanted == interest, key != nil { return }
    interest = wanted
    if let key, current == descriptor,
      loop.change(key, descriptor: descriptor, interest: wanted)
    {
      return
    }
    if let key { loop.deregister(key, descriptor: nil) }
    descriptor = current
    key = try? loop.register(
      self, descriptor: current, interest: wanted, edgeTriggered: false)
    setDeadline(deadline)
  }

  private func setDeadline(_ time: UInt64) {
    deadline = time
    if let key, time != .max { loop.schedule(key, at: time) }
  }

  /// Calls `onSilence` unless ``answered()`` comes within this time.
  func expectAnswer(within nanoseconds: UInt64) {
    guard deadline == .max else { return }
    setDeadline(loop.nanoseconds + nanoseconds)
  }

  /// Nothing more is owed.
  func answered() { deadline = .max }

  /// Sends what libpq holds back; watches for room when the socket is full.
  func flush() {
    guard phase == .open else { return }
    watch(PQflush(connection) == 1 ? [.readable, .writable] : .readable)
  }

  /// Stops watching the socket until ``flush()``; only its failure is reported.
  func pause() {
    if phase == .open { watch([]) }
  }

  /// Ends the connection; the server is told if it still listens.
  func close() {
    guard phase != .closed else { return }
    phase = .closed
    if let key { loop.deregister(key, descriptor: descriptor) }
    if let connection { PQfinish(connection) }
    connection = nil
  }

  /// libpq's message about the connection; never values of a statement.
  func closeWithError() -> PostgresError {
    let message = connection.map { String(cString: PQerrorMessage($0)) } ?? "closed"
    let line = message.split(separator: "\n").first.map(String.init) ?? message
    close()
    return PostgresError(.disconnected, line)
  }

  func loopReady(_ readiness: Readiness) {
    switch phase {
    case .connecting: pollConnect()
    case .open: onReady()
    case .closed: break
    }
  }

  func loopTimerFired() {
    guard loop.nanoseconds >= deadline else { return }
    deadline = .max
    if phase == .connecting {
      close()
      opened.take()?.resume(returning: PostgresError(.disconnected, "connecting took too long"))
    } else if phase == .open {
      onSilence()
    }
  }

  private func pollConnect() {
    switch PQconnectPoll(connection) {
    case PGRES_POLLING_READING: watch(.readable)
    case PGRES_POLLING_WRITING: watch(.writable)
    case PGRES_POLLING_OK:
      phase = .open
      deadline = .max
      watch(.readable)
      opened.take()?.resume(returning: nil)
    default:
      opened.take()?.resume(returning: closeWithError())
    }
  }
}

/// Lends a null-terminated array of C strings.
private func withCStrings<Result>(
  _ strings: [String], _ body: (UnsafePointer<UnsafePointer<CChar>?>) -> Result
) -> Result {
  let copies = strings.map { strdup($0) }
  defer { for copy in copies { free(copy) } }
  var pointers = copies.map { UnsafePointer($0) }
  pointers.append(nil)
  return pointers.withUnsafeBufferPointer { buffer in
    guard let start = buffer.baseAddress else { preconditionFailure("a list has its end mark") }
    return body(start)
  }
}
