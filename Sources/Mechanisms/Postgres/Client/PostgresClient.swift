public import EventLoop
internal import Synchronization

/// The database as one loop sees it: a few pipelined connections, kept open, and a bounded queue.
///
/// Everything that the tasks of a cycle ask for goes out together at the cycle's end. All methods
/// are called on the loop.
public final class PostgresClient: CycleEndHandler, @unchecked Sendable {
  /// The loop that all calls are made on.
  public let loop: EventLoop
  let address: DatabaseAddress
  let refusal: @Sendable () -> PostgresError?
  let observe: @Sendable (PostgresEvent) -> Void
  private let connectionCount: Int
  private var connections: [PipelineConnection] = []
  private let connectionsOpen = Atomic(0)
  private var queue = WorkQueue<Segment, Lease>()
  /// Whether it takes no more work.
  private(set) var isClosed = false
  private var sweep: Sweep?
  private(set) var times: CallTimes
  /// Since when the server has owed an answer that did not come, until it says something.
  private var silentSince: UInt64?
  /// How long a call may take; tests change it before the client starts.
  package var answerNanoseconds: UInt64 {
    get { times.answerNanoseconds }
    set { times.answerNanoseconds = newValue }
  }
  /// Places for bulk transfers; the service that tests share has more, as many ask at once.
  package var places = StreamPlaces(limit: Limits.streamsPerLoop)

  /// A client of a loop; ``start()`` opens its connections.
  /// - Parameters:
  ///   - address: The database; several hosts allowed.
  ///   - connections: At least 1.
  ///   - answerNanoseconds: How long a call may take until it fails; streams and other bulk
  ///     transfers have times of their own.
  ///   - refusal: Why nothing may be written now; `nil` while it may. Every write asks it first,
  ///     also in the sessions and clients that this client lends.
  public init(
    _ address: DatabaseAddress, connections: Int, loop: EventLoop,
    answerNanoseconds: UInt64 = PostgresClient.standardAnswerNanoseconds,
    refusal: @escaping @Sendable () -> PostgresError? = { nil },
    observe: @escaping @Sendable (PostgresEvent) -> Void = { _ in }
  ) {
    self.address = address
    self.loop = loop
    self.refusal = refusal
    self.observe = observe
    times = CallTimes(answerNanoseconds: answerNanoseconds)
    connectionCount = max(1, connections)
  }

  /// How long a call may take where nobody says otherwise.
  public static let standardAnswerNanoseconds = Limits.answerNanoseconds

  /// Starts to connect, and again whenever a connection breaks, until ``close()``.
  public func start() {
    loop.atCycleEnd(self)
    sweep = Sweep(self)
    for _ in 0..<connectionCount { maintain() }
  }

  /// Descriptors that a client with so many connections takes at most.
  public static func descriptors(connections: Int) -> Int { connections + Limits.streamsPerLoop }

  /// Whether a connection is open.
  public var isConnected: Bool { connections.contains { $0.isOpen } }

  /// Whether a connection is open, asked from any thread; a connection that broke just now may
  /// still count.
  public var seemsConnected: Bool { connectionsOpen.load(ordering: .relaxed) > 0 }

  /// Closes all connections; calls that are under way end as disconnected. The loop forgets the
  /// client.
  public func close() {
    isClosed = true
    sweep?.stop()
    sweep = nil
    loop.removeCycleEndHandler(self)
    for connection in connections { connection.lose(PostgresError(.disconnected, "shutting down")) }
    fail(queue.takeAll(), PostgresError(.disconnected, "shutting down", isSafeToRetry: true))
  }

  // MARK: Calls

  /// Runs a read-only command. It may share a round trip and a transaction with other reads, and
  /// is sent again when its connection breaks.
  public func read<Row>(_ command: some Command<Row>) async throws(PostgresError) -> [Row] {
    let execution = TypedExecution(command)
    let since = callStart
    try await wait(for: execution, isRead: true, since: since)
    switch execution.outcome {
    case .skipped: break
    case .failed(let error)
    where error.code == .disconnected && !error.isSafeToRetry && !isClosed && since >= lateBefore:
      break
    default: return try execution.get()
    }
    // A neighbour failed, or the connection broke: once more, alone.
    return try await run(command, since: since)
  }

  /// Runs a read-only command in a transaction of its own, once.
  public func readAlone<Row>(_ command: some Command<Row>) async throws(PostgresError) -> [Row] {
    try await run(command, since: callStart)
  }

  /// Runs one command in a transaction of its own; committed on return.
  public func write<Row>(_ command: some Command<Row>) async throws(PostgresError) -> [Row] {
    try requireWrites()
    return try await run(command, since: callStart)
  }

  private func run<Row>(
    _ command: some Command<Row>, since: UInt64
  ) async throws(PostgresError) -> [Row] {
    let execution = TypedExecution(command)
    try await wait(for: execution, isRead: false, since: since)
    return try execution.get()
  }

  /// Sends a command as a segment and waits for its answer: no longer than a call may take, counted
  /// from `since`.
  private func wait(
    for execution: Execution, isRead: Bool, since: UInt64
  ) async throws(PostgresError) {
    try admit("statements", unless: queue.isFull, since: since)
    await withUnsafeContinuation { (continuation: UnsafeContinuation<Void, Never>) in
      let segment = Segment([execution], since: since) { continuation.resume() }
      queue.add(segment, isRead: isRead, at: since)
    }
  }

  /// Runs `body` in a transaction on a connection of its own: committed when it returns, rolled
  /// back when it throws or any of its statements failed.
  public func transaction<Result>(
    _ body: (Transaction) async throws -> Result
  ) async throws -> Result {
    try requireWrites()
    let connection = try await lease()
    defer { connection.endLease() }
    let transaction = Transaction(connection, since: CallStart.nanoseconds)
    do {
      let result = try await body(transaction)
      try await transaction.commit()
      return result
    } catch {
      await transaction.rollback()
      throw error
    }
  }

  /// Refuses a write while nothing may be written.
  func requireWrites() throws(PostgresError) {
    if let refusal = refusal() { throw refusal }
  }

  // MARK: Queue

  private func admit(
    _ what: String, unless isFull: Bool, since: UInt64
  ) throws(PostgresError) {
    guard !isClosed else {
      throw PostgresError(.disconnected, "shutting down", isSafeToRetry: true)
    }
    try refuseLate(since)
    guard !isWaitInVain else {
      throw PostgresError(.disconnected, "the server is silent", isSafeToRetry: true)
    }
    guard !isFull else {
      observe(.overloaded)
      throw PostgresError(.overloaded, "too many \(what) wait", isSafeToRetry: true)
    }
  }

  /// Since when the caller waits: since its call began, or since now.
  package var callStart: UInt64 { CallStart.nanoseconds ?? loop.nanoseconds }

  /// When the caller's call is to be over; for work of no call it never is.
  var callEnd: UInt64 {
    guard let start = CallStart.nanoseconds else { return .max }
    let (end, isNever) = start.addingReportingOverflow(answerNanoseconds)
    return isNever ? .max : end
  }

  /// Calls that began before this have taken as long as a call may.
  package var lateBefore: UInt64 {
    let (limit, isEarly) = loop.nanoseconds.subtractingReportingOverflow(answerNanoseconds)
    return isEarly ? 0 : limit
  }

  /// Refuses a call whose time is over, before anything more is done for it.
  package func refuseLate(_ since: UInt64) throws(PostgresError) {
    guard since < lateBefore else { return }
    throw PostgresError(.disconnected, "the call's time is over", isSafeToRetry: true)
  }

  /// Sends what gathered in this cycle.
  public func loopCycleEnded() {
    while let (lease, index) = queue.takeLease(connections.map(\.load)) {
      connections[index].lease()
      lease.resume(returning: connections[index])
    }
    var hasSent = false
    while let (segments, index) = queue.takeWork(connections.map(\.load)) {
      let segment = segments.count == 1 ? segments[0] : Segment(joining: segments)
      connections[index].send(segment)
      hasSent = true
    }
    guard hasSent else { return }
    for connection in connections where connection.depth > 0 { connection.flush() }
  }

  /// Ends calls that have waited too long, for a connection or for an answer over one.
  func failLate() {
    let limit = lateBefore
    for connection in connections {
      connection.fail(before: limit, PostgresError(.disconnected, "no answer in time"))
    }
    let error = PostgresError(.disconnected, "no connection in time", isSafeToRetry: true)
    guard !isWaitInVain else { return fail(queue.takeAll(), error) }
    fail(queue.takeExpired(before: limit), error)
  }

  /// Whether the server has been silent for as long as a call may take. Until it says something, no
  /// caller waits as long once more: the callers behind the first would wait for twice the time.
  private var isWaitInVain: Bool {
    guard let silentSince, !isConnected else { return false }
    return loop.nanoseconds - silentSince >= answerNanoseconds
  }

  /// Gives up a connection whose answer is late. If nothing at all came over it meanwhile, the
  /// server is silent: then all others over which nothing came are given up, even if they owe no
  /// answer.
  private func giveUp(_ late: PipelineConnection) {
    let error = PostgresError(.disconnected, "the server has not answered in time")
    let since = loop.nanoseconds - times.silenceNanoseconds
    if late.heardAt <= since {
      silentSince = since
      for other in connections where other.heardAt <= since { other.lose(error) }
    }
    late.lose(error)
  }

  private func fail(_ late: (work: [Segment], leases: [Lease]), _ error: PostgresError) {
    for segment in late.work { segment.fail(error) }
    for lease in late.leases { lease.resume(returning: nil) }
  }

  // MARK: Leases

  /// Gets a connection, or none when there was none in time.
  private typealias Lease = UnsafeContinuation<PipelineConnection?, Never>

  private func lease() async throws(PostgresError) -> PipelineConnection {
    let since = callStart
    try admit("transactions", unless: queue.isFullOfLeases, since: since)
    let connection = await withUnsafeContinuation { queue.add(lease: $0, at: since) }
    guard let connection else {
      throw PostgresError(.disconnected, "no connection in time", isSafeToRetry: true)
    }
    return connection
  }

  // MARK: Connections

  /// Keeps one connection open until the client is closed.
  private func maintain() {
    loop.execute { [weak self] in
      var backoff = Limits.firstBackoffNanoseconds
      while let self, !self.isClosed {
        let began = self.loop.nanoseconds
        do throws(PostgresError) {
          let reason = try await self.connectAndServe()
          self.observe(self.isClosed ? .closed : .disconnected(reason))
        } catch {
          guard !self.isClosed else { return }
          self.observe(.connectFailed(error, retryAfterNanoseconds: backoff))
        }
        // A server that takes connections and drops them at once is not rushed either.
        if self.loop.nanoseconds - began > Limits.longestBackoffNanoseconds {
          backoff = Limits.firstBackoffNanoseconds
        }
        guard !self.isClosed else { return }
        await self.loop.sleep(nanoseconds: backoff)
        backoff = min(backoff * 2, Limits.longestBackoffNanoseconds)
      }
    }
  }

  /// Opens a connection and lends it to the queue.
  /// - Returns: Why it ended.
  private func connectAndServe() async throws(PostgresError) -> PostgresError {
    let connection = PipelineConnection(loop: loop, times)
    try await connection.open(address)
    silentSince = nil
    guard !isClosed else {
      let error = PostgresError(.disconnected, "shutting down")
      connection.lose(error)
      throw error
    }
    connections.append(connection)
    connectionsOpen.add(1, ordering: .relaxed)
    observe(.connected)
    defer {
      connections.removeAll { $0 === connection }
      connectionsOpen.subtract(1, ordering: .relaxed)
    }
    return await withUnsafeContinuation { continuation in
      connection.onLate = { [unowned self, unowned connection] in giveUp(connection) }
      connection.onLost = { continuation.resume(returning: $0) }
    }
  }
}

/// Looks every now and then for statements that waited too long.
private final class Sweep: LoopHandler {
  private weak var client: PostgresClient?
  private let loop: EventLoop
  private var key: LoopKey?

  init(_ client: PostgresClient) {
    self.client = client
    loop = client.loop
    key = try? loop.register(self, descriptor: nil, interest: [], edgeTriggered: false)
    arm()
  }

  private func arm() {
    if let key { loop.schedule(key, at: loop.nanoseconds + Limits.sweepNanoseconds) }
  }

  func stop() {
    if let key { loop.deregister(key, descriptor: nil) }
    key = nil
  }

  func loopReady(_ readiness: Readiness) {}

  func loopTimerFired() {
    guard let client else { return stop() }
    client.failLate()
    arm()
  }
}
