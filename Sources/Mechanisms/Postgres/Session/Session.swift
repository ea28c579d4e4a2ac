internal import CLibpq
internal import EventLoop
internal import Glibc

/// A connection outside pipeline mode, for one user at a time: migrations, cursors, `LISTEN`.
///
/// Its socket is watched only while the user waits, so a slow consumer of a bulk read holds the
/// server back instead of filling memory.
final class Session {
  let link: Link
  private var waiter: UnsafeContinuation<Void, Never>?
  /// Whether the waiter expects nothing of the server, but wants to go on at a time.
  private var isWaitingForNews = false
  /// How long the server may say nothing while something is expected of it.
  var silenceNanoseconds = UInt64.max

  /// When its user stops waiting, however long the server may take for a single answer.
  var end: UInt64 {
    get { link.latest }
    set { link.latest = newValue }
  }

  init(loop: EventLoop) { link = Link(loop: loop) }

  deinit { link.close() }

  /// Connects.
  /// - Parameter settings: Server settings, see ``Link/open(_:settings:within:)``.
  func open(
    _ address: DatabaseAddress, settings: [String: String] = [:],
    within nanoseconds: UInt64 = Limits.connectNanoseconds
  ) async throws(PostgresError) {
    try await link.open(
      address, settings: settings, within: min(silenceNanoseconds, nanoseconds))
    link.onReady = { [unowned self] in ready() }
    link.onSilence = { [unowned self] in
      if !isWaitingForNews {
        link.close(PostgresError(.disconnected, "the server has not answered in time"))
      }
      waiter.take()?.resume()
    }
    link.pause()
  }

  /// The number of the server's process, as the server told it when the session began. A pooler
  /// tells a number of its own.
  var announcedProcess: Int32 { PQbackendPID(link.connection) }

  /// libpq's `PGcancel` of this session; its receiver frees it.
  func cancellation() -> OpaquePointer? { PQgetCancel(link.connection) }

  /// The number of the server's process, behind a pooler, too.
  func backend() async throws(PostgresError) -> String {
    (try await run("SELECT pg_backend_pid()").first?.first ?? nil) ?? "0"
  }

  /// Closes; a waiting user ends with an error. A session that is closed stays so.
  func close() {
    link.close()
    waiter.take()?.resume()
  }

  private func ready() {
    if PQconsumeInput(link.connection) == 1, PQstatus(link.connection) == CONNECTION_OK {
      link.pause()
    } else {
      _ = link.closeWithError()
    }
    waiter.take()?.resume()
  }

  /// Suspends until the server has said something or the socket has room.
  private func wait(until deadline: UInt64? = nil) async throws(PostgresError) {
    guard link.phase == .open else { throw link.failure }
    link.flush()
    isWaitingForNews = deadline != nil
    await suspend(until: deadline)
    isWaitingForNews = false
    guard link.phase == .open else { throw link.failure }
  }

  private func suspend(until time: UInt64? = nil) async {
    let (silence, isNever) = link.loop.nanoseconds.addingReportingOverflow(silenceNanoseconds)
    link.expectAnswer(by: time ?? (isNever ? .max : silence))
    await withUnsafeContinuation { waiter = $0 }
    link.answered()
  }

  /// Runs commands without parameters, one after the other; rows are given as text.
  @discardableResult
  func run(_ text: String) async throws(PostgresError) -> [[String?]] {
    try start(text)
    return try await finish()
  }

  /// Sends commands; ``finish()`` waits for them.
  func start(_ text: String) throws(PostgresError) {
    try refuseOutdated()
    guard PQsendQuery(link.connection, text) == 1 else { throw link.closeWithError() }
    link.flush()
  }

  private func refuseOutdated() throws(PostgresError) {
    guard link.phase == .open, let outdated = link.outdated else { return }
    link.close(outdated)
    throw outdated
  }

  /// Waits for the end of commands that were sent.
  func finish() async throws(PostgresError) -> [[String?]] {
    var rows: [[String?]] = []
    var firstError: PostgresError?
    while let result = try await nextResult() {
      defer { PQclear(result) }
      switch PQresultStatus(result) {
      case PGRES_TUPLES_OK:
        for row in 0..<PQntuples(result) {
          rows.append(
            (0..<PQnfields(result)).map { column in
              PQgetisnull(result, row, column) == 1
                ? nil : String(cString: PQgetvalue(result, row, column))
            })
        }
      case PGRES_COMMAND_OK, PGRES_EMPTY_QUERY: break
      case PGRES_COPY_IN, PGRES_COPY_OUT, PGRES_COPY_BOTH:
        // libpq would give this result for ever.
        close()
        throw PostgresError(.misuse, "COPY has no rows here")
      default: firstError = firstError ?? PostgresError(result: result)
      }
    }
    if let firstError { throw firstError }
    return rows
  }

  /// The next result of the current command, `nil` at its end.
  func nextResult() async throws(PostgresError) -> OpaquePointer? {
    while PQisBusy(link.connection) == 1 { try await wait() }
    guard link.phase == .open else { throw link.failure }
    return PQgetResult(link.connection)
  }

  // MARK: Cursors

  /// Sends one command with bound values; its result comes in binary form.
  func send(_ text: String, _ parameters: Parameters = Parameters()) throws(PostgresError) {
    try refuseOutdated()
    let count = parameters.ranges.count
    let sent = parameters.bytes.withUnsafeBytes { bytes in
      let values = parameters.ranges.map { range in
        range.flatMap { range in
          bytes.baseAddress.map { ($0 + range.lowerBound).assumingMemoryBound(to: CChar.self) }
        }
      }
      return PQsendQueryParams(
        link.connection, text, Int32(count), nil, values,
        parameters.ranges.map { Int32($0?.count ?? 0) }, Array(repeating: 1, count: count), 1)
    }
    guard sent == 1 else { throw link.closeWithError() }
    link.flush()
  }

  /// Waits for the result of the command under way.
  /// - Returns: The result; the caller clears it.
  func result() async throws(PostgresError) -> OpaquePointer {
    guard let result = try await nextResult() else {
      throw PostgresError(.misuse, "the command gave no result")
    }
    do throws(PostgresError) {
      switch PQresultStatus(result) {
      case PGRES_TUPLES_OK, PGRES_COMMAND_OK: break
      default: throw PostgresError(result: result)
      }
      while let further = try await nextResult() { PQclear(further) }
      return result
    } catch {
      PQclear(result)
      throw error
    }
  }

  // MARK: LISTEN

  /// Waits for the next notification, until a time.
  /// - Returns: `nil` when there was none.
  func nextNotification(
    until deadline: UInt64 = .max
  ) async throws(PostgresError) -> (channel: String, payload: String)? {
    while true {
      if let notification = PQnotifies(link.connection) {
        defer { PQfreemem(notification) }
        return (
          String(cString: notification.pointee.relname), String(cString: notification.pointee.extra)
        )
      }
      guard link.loop.nanoseconds < deadline else { return nil }
      try await wait(until: deadline)
    }
  }
}
