public import EventLoop

/// The database as one loop sees it: a few pipelined connections, kept open, and a bounded queue.
///
/// Everything that the tasks of a cycle ask for goes out together at the cycle's end. All methods
/// are called on the loop.
public final class PostgresClient: CycleEndHandler, @unchecked Sendable {
  /// The loop that all calls are made on.
  public let loop: EventLoop
  let conninfo: String
  let observe: @Sendable (PostgresEvent) -> Void
  private let connectionCount: Int
  private var connections: [PipelineConnection] = []
  private var waiting: [Waiting] = []
  private var leaseWaiters: [LeaseWaiter] = []
  private var isClosed = false
  private var sweep: Sweep?
  /// How long a call waits for a connection; tests change it before the client starts.
  package var waitNanoseconds = Limits.waitNanoseconds
  var streams = 0
  /// Places for bulk transfers; the service that tests share has more, as many ask at once.
  package var streamPlaces = Limits.streamsPerLoop

  /// A statement or a whole segment that no connection has taken yet.
  private enum Work {
    case read(Execution, finish: (Segment) -> Void)
    case segment(Segment)
  }
  private struct Waiting {
    let work: Work
    let since: UInt64
  }
  private struct LeaseWaiter {
    let continuation: UnsafeContinuation<PipelineConnection?, Never>
    let since: UInt64
  }

  /// A client of a loop; ``start()`` opens its connections.
  /// - Parameters:
  ///   - conninfo: A libpq URI or keyword string; several hosts allowed.
  ///   - connections: At least 1.
  public init(
    _ conninfo: String, connections: Int, loop: EventLoop,
    observe: @escaping @Sendable (PostgresEvent) -> Void = { _ in }
  ) {
    self.conninfo = conninfo
    self.loop = loop
    self.observe = observe
    connectionCount = max(1, connections)
  }

  /// Starts to connect, and again whenever a connection breaks, until ``close()``.
  public func start() {
    loop.atCycleEnd(self)
    sweep = Sweep(self)
    for _ in 0..<connectionCount { maintain() }
  }

  /// Whether a connection is open.
  public var isConnected: Bool { !connections.isEmpty }

  /// Closes all connections; what is under way ends as disconnected. The loop forgets the client.
  public func close() {
    isClosed = true
    sweep?.stop()
    sweep = nil
    loop.removeCycleEndHandler(self)
    for connection in connections { connection.lose(PostgresError(.disconnected, "shutting down")) }
    failWaiting(olderThan: .max, PostgresError(.disconnected, "shutting down", isSafeToRetry: true))
  }

  // MARK: Calls

  /// Runs a read-only statement. It may share a round trip and a transaction with other reads, and
  /// is sent again when its connection breaks.
  public func read<S: Statement>(_ statement: S) async throws(PostgresError) -> [S.Row] {
    if S.isPlannedEachTime { return try await write(statement) }
    let execution = TypedExecution(statement)
    try admit()
    await withUnsafeContinuation { (continuation: UnsafeContinuation<Void, Never>) in
      enqueue(.read(execution, finish: { _ in continuation.resume() }))
    }
    switch execution.outcome {
    case .skipped: break
    case .failed(let error) where error.code == .disconnected && !error.isSafeToRetry && !isClosed:
      break
    default: return try execution.get()
    }
    // A neighbour failed, or the connection broke: once more, alone.
    return try await write(statement)
  }

  /// Runs one statement in a transaction of its own; committed on return.
  public func write<S: Statement>(_ statement: S) async throws(PostgresError) -> [S.Row] {
    let execution = TypedExecution(statement)
    let executions =
      S.isPlannedEachTime ? [TypedExecution(PlanEachTime()), execution] : [execution]
    try admit()
    await withUnsafeContinuation { (continuation: UnsafeContinuation<Void, Never>) in
      enqueue(.segment(Segment(executions) { _ in continuation.resume() }))
    }
    return try execution.get()
  }

  /// Has the statements behind it, up to the end of their transaction, planned for their values.
  struct PlanEachTime: Statement {
    static let sql = "SELECT set_config('plan_cache_mode', 'force_custom_plan', true) <> ''"
    static func decode(_ row: inout RowReader) throws(PostgresError) -> Bool { try row.next() }
  }

  /// Runs `body` in a transaction on a connection of its own: committed when it returns, rolled
  /// back when it throws or any of its statements failed.
  public func transaction<Result>(
    _ body: (Transaction) async throws -> Result
  ) async throws -> Result {
    let connection = try await lease()
    defer { release(connection) }
    let transaction = Transaction(connection)
    do {
      let result = try await body(transaction)
      try await transaction.commit()
      return result
    } catch {
      await transaction.rollback()
      throw error
    }
  }

  // MARK: Queue

  private func admit() throws(PostgresError) {
    guard !isClosed else {
      throw PostgresError(.disconnected, "shutting down", isSafeToRetry: true)
    }
    guard waiting.count < Limits.waitingStatements else {
      observe(.overloaded)
      throw PostgresError(.overloaded, "too many statements wait", isSafeToRetry: true)
    }
  }

  private func enqueue(_ work: Work) {
    waiting.append(Waiting(work: work, since: loop.nanoseconds))
  }

  /// Sends what gathered in this cycle.
  public func loopCycleEnded() {
    serveLeases()
    guard !waiting.isEmpty else { return }
    var taken = 0
    while taken < waiting.count, !isHeldBack(waiting[taken]), let connection = freest() {
      taken += dispatch(from: taken, to: connection)
    }
    guard taken > 0 else { return }
    waiting.removeFirst(taken)
    for connection in connections where connection.depth > 0 { connection.flush() }
  }

  /// The connection with the least under way, if any has room. While a transaction waits for a
  /// connection of its own, the emptiest one is left to drain, unless it is the only one.
  private func freest() -> PipelineConnection? {
    var emptiest: PipelineConnection?
    var second: PipelineConnection?
    for connection in connections where connection.isFree {
      if connection.depth < emptiest?.depth ?? .max {
        second = emptiest
        emptiest = connection
      } else if connection.depth < second?.depth ?? .max {
        second = connection
      }
    }
    let choice = leaseWaiters.isEmpty ? emptiest : second ?? emptiest
    return choice.flatMap { $0.depth < Limits.segmentsPerConnection ? $0 : nil }
  }

  /// With one connection for all, statements and transactions take turns in the order in which they
  /// came, so that neither starves the other.
  private func isHeldBack(_ entry: Waiting) -> Bool {
    guard connections.count == 1, let lease = leaseWaiters.first else { return false }
    return entry.since >= lease.since
  }

  /// Sends the work at `index`, with the reads that follow it, as one segment.
  /// - Returns: How many entries it took.
  private func dispatch(from index: Int, to connection: PipelineConnection) -> Int {
    guard case .read = waiting[index].work else {
      if case .segment(let segment) = waiting[index].work { connection.send(segment) }
      return 1
    }
    var executions: [Execution] = []
    var finishers: [(Segment) -> Void] = []
    for entry in waiting[index...].prefix(Limits.readsPerSegment) {
      guard case .read(let execution, let finish) = entry.work else { break }
      executions.append(execution)
      finishers.append(finish)
    }
    connection.send(
      Segment(executions) { segment in
        for finish in finishers { finish(segment) }
      })
    return executions.count
  }

  /// Ends what has waited too long for a connection.
  func failWaiting(olderThan limit: UInt64, _ error: PostgresError) {
    var kept: [Waiting] = []
    for entry in waiting {
      guard entry.since <= limit else {
        kept.append(entry)
        continue
      }
      switch entry.work {
      case .segment(let segment): segment.fail(error)
      case .read(let execution, let finish):
        execution.fail(error)
        finish(Segment([]) { _ in })
      }
    }
    waiting = kept
    while let first = leaseWaiters.first, first.since <= limit {
      leaseWaiters.removeFirst()
      first.continuation.resume(returning: nil)
    }
  }

  // MARK: Leases

  private func lease() async throws(PostgresError) -> PipelineConnection {
    guard !isClosed else {
      throw PostgresError(.disconnected, "shutting down", isSafeToRetry: true)
    }
    guard leaseWaiters.count < Limits.waitingStatements else {
      observe(.overloaded)
      throw PostgresError(.overloaded, "too many transactions wait", isSafeToRetry: true)
    }
    let connection = await withUnsafeContinuation { continuation in
      leaseWaiters.append(LeaseWaiter(continuation: continuation, since: loop.nanoseconds))
    }
    guard let connection else {
      throw PostgresError(.disconnected, "no connection in time", isSafeToRetry: true)
    }
    return connection
  }

  private func serveLeases() {
    while !leaseWaiters.isEmpty, let free = leasable() {
      free.isLeased = true
      leaseWaiters.removeFirst().continuation.resume(returning: free)
    }
  }

  /// A connection for a transaction alone; the last one that serves everyone is given only while
  /// nothing else waits for it, and a single one in turn (see ``isHeldBack(_:)``).
  private func leasable() -> PipelineConnection? {
    if connections.count == 1 {
      if let work = waiting.first, let lease = leaseWaiters.first, work.since < lease.since {
        return nil
      }
    } else if !waiting.isEmpty {
      guard connections.lazy.filter(\.isFree).count > 1 else { return nil }
    }
    return connections.first { $0.isFree && $0.depth == 0 }
  }

  private func release(_ connection: PipelineConnection) {
    connection.isLeased = false
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
    let connection = PipelineConnection(loop: loop)
    try await connection.open(conninfo)
    guard !isClosed else {
      let error = PostgresError(.disconnected, "shutting down")
      connection.lose(error)
      throw error
    }
    connections.append(connection)
    observe(.connected)
    defer { connections.removeAll { $0 === connection } }
    return await withUnsafeContinuation { continuation in
      connection.onLost = { continuation.resume(returning: $0) }
    }
  }
}

/// Looks once a second for statements that waited too long.
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
    if let key { loop.schedule(key, at: loop.nanoseconds + 1_000_000_000) }
  }

  func stop() {
    if let key { loop.deregister(key, descriptor: nil) }
    key = nil
  }

  func loopReady(_ readiness: Readiness) {}

  func loopTimerFired() {
    guard let client else { return stop() }
    let limit = loop.nanoseconds.subtractingReportingOverflow(client.waitNanoseconds)
    if !limit.overflow {
      client.failWaiting(
        olderThan: limit.partialValue,
        PostgresError(.disconnected, "no connection in time", isSafeToRetry: true))
    }
    arm()
  }
}
