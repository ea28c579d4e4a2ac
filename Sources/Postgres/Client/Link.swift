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
  /// Why it was closed.
  private(set) var failure = PostgresError(.disconnected, "closed")
  private var key: LoopKey?
  private var descriptor: Int32 = -1
  private var interest: Readiness = []
  private var deadline: UInt64 = .max
  /// The earliest timer that is set; a later deadline needs no other (see `TimerQueue`).
  private var earliestTimer: UInt64 = .max
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
    // Keepalives: whoever waits for a notification owes no answer whose lateness would be noticed.
    // They rest while data is unacknowledged, as rows of a `COPY`: the user timeout ends that.
    let keywords = [
      "fallback_application_name", "options", "keepalives_idle", "keepalives_interval",
      "keepalives_count", "tcp_user_timeout", "dbname", "client_encoding",
    ]
    let values = ["postilion", options, "30", "10", "3", "60000", conninfo, "UTF8"]
    let started = withCStrings(keywords) { keywords in
      withCStrings(values) { values in PQconnectStartParams(keywords, values, 1) }
    }
    guard let started else { throw PostgresError(.misuse, "libpq is out of memory") }
    connection = started
    // Notices would go to standard error as they are, among lines that are JSON.
    PQsetNoticeProcessor(started, { _, _ in }, nil)
    guard PQstatus(started) != CONNECTION_BAD else { throw closeWithError() }
    PQsetnonblocking(started, 1)
    watchConnecting(.writable)
    guard phase == .connecting else { throw failure }
    setDeadline(loop.deadline(in: Limits.connectNanoseconds))
    let failure = await withUnsafeContinuation { opened = $0 }
    if let failure { throw failure }
  }

  /// Watches the socket of an open link, which stays the same.
  private func watch(_ wanted: Readiness) {
    guard wanted != interest, let key else { return }
    interest = wanted
    loop.change(key, descriptor: descriptor, interest: wanted)
  }

  /// Watches the socket of a connection that is being made. While it tries hosts, libpq closes the
  /// socket and opens another, often under the same number, of which the loop knows nothing.
  private func watchConnecting(_ wanted: Readiness) {
    let current = PQsocket(connection)
    interest = wanted
    if let key, current == descriptor,
      loop.change(key, descriptor: descriptor, interest: wanted)
    {
      return
    }
    if let key { loop.deregister(key, descriptor: nil) }
    descriptor = current
    do throws(SystemError) {
      key = try loop.register(self, descriptor: current, interest: wanted, edgeTriggered: false)
      earliestTimer = .max
      setDeadline(deadline)
    } catch {
      key = nil
      close(PostgresError(.disconnected, error.description))
    }
  }

  private func setDeadline(_ time: UInt64) {
    deadline = time
    guard let key, time < earliestTimer else { return }
    earliestTimer = time
    loop.schedule(key, at: time)
  }

  /// Calls `onSilence` unless ``answered()`` comes within this time.
  func expectAnswer(within nanoseconds: UInt64) {
    guard deadline == .max else { return }
    setDeadline(loop.nanoseconds &+ nanoseconds)
  }

  /// Nothing more is owed.
  func answered() { deadline = .max }

  /// Sends what libpq holds back; watches for room when the socket is full.
  /// - Returns: Whether it is full, so that room will be told of.
  @discardableResult
  func flush() -> Bool {
    guard phase == .open else { return false }
    let isFull = PQflush(connection) == 1
    watch(isFull ? [.readable, .writable] : .readable)
    return isFull
  }

  /// Stops watching the socket until ``flush()``; only its failure is reported.
  func pause() {
    if phase == .open { watch([]) }
  }

  /// Ends the connection, and a wait for its opening; the server is told if it still listens.
  func close(_ reason: PostgresError = PostgresError(.disconnected, "closed")) {
    guard phase != .closed else { return }
    phase = .closed
    failure = reason
    if let key { loop.deregister(key, descriptor: descriptor) }
    key = nil
    if let connection { PQfinish(connection) }
    connection = nil
    opened.take()?.resume(returning: reason)
  }

  /// Ends the connection because of what libpq says about it; never values of a statement.
  /// - Returns: Why it ended, the first reason if it had ended before.
  func closeWithError() -> PostgresError {
    guard let connection else { return failure }
    let message = String(cString: PQerrorMessage(connection))
    let line = message.split(separator: "\n").first.map(String.init) ?? "libpq gave no reason"
    close(PostgresError(.disconnected, line))
    return failure
  }

  func loopReady(_ readiness: Readiness) {
    switch phase {
    case .connecting: pollConnect()
    case .open: onReady()
    case .closed: break
    }
  }

  func loopTimerFired() {
    guard loop.nanoseconds >= earliestTimer else { return }
    earliestTimer = .max
    guard loop.nanoseconds >= deadline else {
      setDeadline(deadline)
      return
    }
    deadline = .max
    if phase == .connecting {
      close(PostgresError(.disconnected, "connecting took too long"))
    } else if phase == .open {
      onSilence()
    }
  }

  private func pollConnect() {
    switch PQconnectPoll(connection) {
    case PGRES_POLLING_READING: watchConnecting(.readable)
    case PGRES_POLLING_WRITING: watchConnecting(.writable)
    case PGRES_POLLING_OK:
      watchConnecting(.readable)
      guard phase == .connecting else { return }
      phase = .open
      deadline = .max
      opened.take()?.resume(returning: nil)
    default:
      _ = closeWithError()
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
