internal import CLibpq
internal import CLinux
internal import EventLoop
internal import Glibc

/// A libpq connection on a loop: connecting, setting up its session, waiting for its socket, and
/// nothing else. Its owner decides what is said over it: pipelined statements, cursors or `LISTEN`.
///
/// Each phase is an explicit state:
/// - `searching`: the addresses of a server are looked up; goes to `connecting`, `closed`, or to
///   `searching` for the next server.
/// - `connecting`: libpq negotiates with one server after the other; goes to `settling`,
///   `closed`, or to `searching` for the next server.
/// - `settling`: the settings of the session are under way; goes to `open`, `closed`, or to
///   `searching` or `connecting` with the next server.
/// - `open`: the owner talks; goes to `closed`.
/// - `closed`: libpq's object is gone; the link is not used again.
final class Link: LoopHandler {
  /// Where the link stands.
  enum Phase { case searching, connecting, settling, open, closed }

  let loop: EventLoop
  private(set) var phase = Phase.searching
  private(set) var connection: OpaquePointer?
  /// Why it was closed.
  private(set) var failure = PostgresError(.disconnected, "closed")
  private var key: LoopKey?
  private var descriptor: Int32 = -1
  private var interest: Readiness = []
  private var deadline: UInt64 = .max
  /// No deadline is later than this, however long a single step may take.
  var latest: UInt64 = .max
  /// The earliest timer that is set; a later deadline needs no other (see `TimerQueue`).
  private var earliestTimer: UInt64 = .max
  private let names: NameLookup
  private var search: AsyncStream<NameLookup.Answer>.Continuation?
  private var opened: UnsafeContinuation<PostgresError?, Never>?
  private var address: DatabaseAddress?
  /// The commands that set up the session.
  private var setup = ""
  /// Where its server stands; `nil` for a server that takes no changes.
  private var timeline: Timeline?
  /// How often a newer timeline had come when ``timeline`` was last compared.
  private var comparedChanges = -1
  /// Whether the connection string names other servers to turn to.
  private(set) var hasAlternatives = false
  /// Called when the socket is ready in the `open` phase.
  var onReady: () -> Void = {}
  /// Called when the deadline set with ``expectAnswer(by:)`` passes.
  var onSilence: () -> Void = {}

  init(loop: EventLoop, names: NameLookup = .system) {
    self.loop = loop
    self.names = names
  }

  deinit { if let connection { PQfinish(connection) } }

  /// Settings of all sessions.
  ///
  /// - Changes are decided on what others have committed, whatever the server's default is.
  /// - JIT is off. Sessions avoid sequential scans; where one is the only way, as on an empty
  ///   table, the planner gives it a huge cost, for which JIT would compile for seconds to write
  ///   one row (PostgreSQL, "JIT", "When to JIT?").
  /// - If a client's machine dies, the server keeps its locks until it notices. With these
  ///   keepalives it notices within a minute, and not after the two hours of systems. A pooler has
  ///   keepalives of its own.
  private static let settings = [
    "timezone": "UTC", "jit": "off", "tcp_keepalives_idle": "30", "tcp_keepalives_interval": "10",
    "tcp_keepalives_count": "3", "default_transaction_isolation": "read committed",
  ]

  /// The questions to each server, answered in one row: its identifier, its timeline if it takes
  /// changes, and what the session's beginning said.
  private static let questions = """
    SELECT (SELECT system_identifier FROM pg_control_system()),
      CASE WHEN NOT pg_is_in_recovery()
        THEN ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::int8 END,
      current_setting('\(SessionBeginning.setting)', true)
    """
  /// Settings that depend on the server's own settings.
  ///
  /// - An answer promises that the change is on the disk. So `synchronous_commit` is `on` where the
  ///   server, the database or the account say `off` or `local`; a stronger value stays.
  /// - Citus plans a statement for its values, as these say which server it goes to.
  private static let conditionalSettings = """
    SELECT set_config('synchronous_commit', 'on', false)
    WHERE current_setting('synchronous_commit') IN ('off', 'local');
    SELECT set_config('plan_cache_mode', 'auto', false) FROM pg_extension WHERE extname = 'citus';
    """

  /// Connects; the link is open on return. Of several servers it takes the first that will do.
  /// - Parameters:
  ///   - settings: Server settings for this session, besides those of all sessions. Settings in the
  ///     string's own `options` go before them.
  ///   - nanoseconds: How long a server may take.
  func open(
    _ address: DatabaseAddress, settings: [String: String] = [:],
    within nanoseconds: UInt64 = Limits.connectNanoseconds
  ) async throws(PostgresError) {
    self.address = address
    let list = ServerList(address.text)
    // By commands and not as `options`, which poolers refuse.
    setup =
      settings.merging(Self.settings) { own, _ in own }
      .filter { !list.settings.contains($0.key) }
      .map { "SET \($0.key) = '\($0.value)';" }.joined() + Self.conditionalSettings
      + (address.beginning.map { $0.command() + ";" } ?? "") + Self.questions
    hasAlternatives = list.hasSeveral
    let short = min(nanoseconds, Limits.connectEachNanoseconds)
    var reasons: [PostgresError] = []
    for server in list.servers {
      let time = hasAlternatives ? short : nanoseconds
      let search = await places(of: server, within: time)
      guard phase != .closed else { throw failure }
      switch search {
      case .failure(let reason): reasons.append(reason)
      case .success(let places):
        for (index, place) in places.enumerated() {
          // The last address has the whole time that a server may take to let us in.
          let isLast = index == places.count - 1
          let outcome = await connect(
            address, to: place, target: list.target, within: isLast ? time : short)
          guard phase != .closed else { throw failure }
          guard let reason = outcome else { return }
          reasons.append(reason)
        }
      }
    }
    // A client that one server does not let in need not wait for the others.
    let refusals = reasons.filter { $0.code == .login }
    let decisive = refusals.isEmpty ? reasons : refusals
    let words = decisive.map(\.message).reduce(into: [String]()) { words, word in
      if !words.contains(word) { words.append(word) }
    }
    close(
      PostgresError(
        refusals.isEmpty ? .disconnected : .login, words.joined(separator: "; ")))
    throw failure
  }

  /// Looks up a server that has a name. libpq would do this itself, and the loop would wait for it.
  /// - Returns: The values for libpq of each of its addresses.
  private func places(
    of server: [String: String], within nanoseconds: UInt64
  ) async -> Result<[[String: String]], PostgresError> {
    guard let name = ServerList.name(of: server) else { return .success([server]) }
    let search = names.search(name)
    phase = .searching
    self.search = search.end
    key = try? loop.register(self, descriptor: nil, interest: [], edgeTriggered: false)
    setDeadline(loop.deadline(in: nanoseconds))
    defer { release() }
    for await answer in search.answers {
      return answer.map { addresses in
        addresses.map { server.merging(["hostaddr": $0]) { $1 } }
      }
    }
    return .failure(failure)
  }

  /// Connects to one server.
  /// - Returns: Why no connection came about; `nil` when one did.
  private func connect(
    _ address: DatabaseAddress, to server: [String: String], target: String?,
    within nanoseconds: UInt64
  ) async -> PostgresError? {
    phase = .connecting
    // Keepalives notice a dead server while only notifications are expected: then no answer can be
    // late. They rest while sent data is unacknowledged, such as a long batch: then the user
    // timeout ends the connection.
    var settings = [
      ("fallback_application_name", "postilion"), ("keepalives_idle", "30"),
      ("keepalives_interval", "10"), ("keepalives_count", "3"), ("tcp_user_timeout", "60000"),
    ]
    if let target { settings.append(("target_session_attrs", target)) }
    settings += [("dbname", address.text), ("client_encoding", "UTF8")]
    settings += server.map { ($0.key, $0.value) }
    let started = withCStrings(settings.map { $0.0 }) { keywords in
      withCStrings(settings.map { $0.1 }) { values in PQconnectStartParams(keywords, values, 1) }
    }
    guard let started else { return PostgresError(.misuse, "libpq is out of memory") }
    connection = started
    // Notices would go to standard error as they are, among lines that are JSON.
    PQsetNoticeProcessor(started, { _, _ in }, nil)
    // A refusal then has its SQLSTATE.
    PQsetErrorVerbosity(started, PQERRORS_VERBOSE)
    guard PQstatus(started) != CONNECTION_BAD else {
      let reason = complaint
      release()
      return reason
    }
    PQsetnonblocking(started, 1)
    setDeadline(loop.deadline(in: nanoseconds))
    return await withUnsafeContinuation { continuation in
      opened = continuation
      watchConnecting(.writable)
    }
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
      abandon(PostgresError(.disconnected, error.description))
    }
  }

  private func setDeadline(_ time: UInt64) {
    deadline = min(time, latest)
    guard let key, deadline < earliestTimer else { return }
    earliestTimer = deadline
    loop.schedule(key, at: deadline)
  }

  /// Calls `onSilence` unless ``answered()`` comes before this time.
  func expectAnswer(by time: UInt64) {
    guard deadline == .max else { return }
    setDeadline(time)
  }

  /// Notes that the server owes no answer any more.
  func answered() { deadline = .max }

  /// Sends the bytes that libpq holds back; watches for room when the socket is full.
  /// - Returns: Whether the socket is full: then `onReady` tells when there is room.
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
    search?.yield(.failure(reason))
    release()
    opened.take()?.resume(returning: reason)
  }

  /// Gives up the server that is being tried.
  private func abandon(_ reason: PostgresError) {
    release()
    opened.take()?.resume(returning: reason)
  }

  /// Lets go of libpq's object and its socket.
  private func release() {
    if let key { loop.deregister(key, descriptor: descriptor) }
    key = nil
    search = nil
    descriptor = -1
    deadline = .max
    earliestTimer = .max
    if let connection { PQfinish(connection) }
    connection = nil
  }

  /// Ends the connection, with libpq's words about it as the reason; they never have values of a
  /// statement.
  /// - Returns: Why it ended, the first reason if it had ended before.
  func closeWithError() -> PostgresError {
    if connection != nil { close(complaint) }
    return failure
  }

  /// What libpq says about the connection, in its first line.
  private var complaint: PostgresError {
    let message = connection.map { String(cString: PQerrorMessage($0)) } ?? ""
    let line = message.split(separator: "\n").first.map(String.init) ?? "libpq gave no reason"
    let shown = address?.hidingSecrets(in: line) ?? line
    let needsPassword = connection.map { PQconnectionNeedsPassword($0) == 1 } ?? false
    return Self.complaint(shown, needsPassword: needsPassword)
  }

  /// What a line of libpq means. The servers word their messages in their own language, so the
  /// SQLSTATE decides.
  ///
  ///     FATAL:  28P01: password authentication failed for user "ann"
  ///         not let in: password authentication failed for user "ann"
  ///     FATAL:  57P03: the database system is starting up
  ///         FATAL:  the database system is starting up
  static func complaint(_ line: String, needsPassword: Bool) -> PostgresError {
    let parts = line.split(separator: ":  ", maxSplits: 1)
    let marked = parts.last?.split(separator: ": ", maxSplits: 1) ?? []
    guard parts.count == 2, marked.count == 2, marked[0].utf8.count == 5 else {
      return PostgresError(needsPassword ? .login : .disconnected, line)
    }
    // A class of access, and a database that is not there.
    guard marked[0].hasPrefix("28") || marked[0] == "3D000" else {
      return PostgresError(.disconnected, "\(parts[0]):  \(marked[1])")
    }
    return PostgresError(.login, String(marked[1]))
  }

  func loopReady(_ readiness: Readiness) {
    switch phase {
    case .connecting: pollConnect()
    case .settling: receiveSettled()
    case .open: onReady()
    case .searching, .closed: break
    }
  }

  func loopEnded() {
    let wasOpen = phase == .open
    close(PostgresError(.disconnected, "its loop has ended"))
    // As when the server closes it.
    if wasOpen { onReady() }
  }

  func loopTimerFired() {
    guard loop.nanoseconds >= earliestTimer else { return }
    earliestTimer = .max
    guard loop.nanoseconds >= deadline else {
      setDeadline(deadline)
      return
    }
    deadline = .max
    switch phase {
    case .searching:
      search?.yield(.failure(PostgresError(.disconnected, "its address was not found in time")))
    case .connecting, .settling:
      abandon(PostgresError(.disconnected, "connecting took too long"))
    case .open: onSilence()
    case .closed: break
    }
  }

  private func pollConnect() {
    switch PQconnectPoll(connection) {
    case PGRES_POLLING_READING: watchConnecting(.readable)
    case PGRES_POLLING_WRITING: watchConnecting(.writable)
    case PGRES_POLLING_OK:
      watchConnecting(.readable)
      // A connection whose socket could not be watched was abandoned.
      guard opened != nil else { return }
      phase = .settling
      // A new socket has room for a few lines.
      guard PQsendQuery(connection, setup) == 1, PQflush(connection) == 0 else {
        return abandon(complaint)
      }
    default:
      abandon(complaint)
    }
  }

  private func receiveSettled() {
    guard PQconsumeInput(connection) == 1 else { return abandon(complaint) }
    while PQisBusy(connection) == 0 {
      guard let result = PQgetResult(connection) else { break }
      defer { PQclear(result) }
      guard [PGRES_COMMAND_OK, PGRES_TUPLES_OK].contains(PQresultStatus(result)) else {
        return abandon(PostgresError(result: result))
      }
      if PQntuples(result) == 1, PQnfields(result) == 3 { learn(result) }
    }
    guard PQisBusy(connection) == 0, opened != nil else { return }
    if let outdated { return abandon(outdated) }
    guard let continuation = opened.take() else { return }
    PQsetErrorVerbosity(connection, PQERRORS_DEFAULT)
    phase = .open
    deadline = .max
    continuation.resume(returning: nil)
  }
}

extension Link {
  /// Why nothing more may be said over it: a newer timeline of its server was seen, perhaps by
  /// another session.
  var outdated: PostgresError? {
    guard let timeline, let address else { return nil }
    let changes = address.timelines.changeCount
    guard changes != comparedChanges else { return nil }
    guard address.timelines.admit(timeline) else { return timeline.outdated }
    comparedChanges = changes
    return nil
  }

  /// Takes the answers to ``questions``.
  private func learn(_ row: OpaquePointer) {
    func value(_ column: Int32) -> String? {
      PQgetisnull(row, 0, column) == 1 ? nil : String(cString: PQgetvalue(row, 0, column))
    }
    timeline = value(1).flatMap { Int64($0) }.map { Timeline(server: value(0) ?? "", number: $0) }
    if let word = value(2), !word.isEmpty { address?.beginning?.told(word) }
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
