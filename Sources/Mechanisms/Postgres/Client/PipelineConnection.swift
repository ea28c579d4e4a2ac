internal import CLibpq
internal import EventLoop

/// A connection in pipeline mode: segments go out as they come, answers come back in order.
final class PipelineConnection {
  let link: Link
  private let times: CallTimes
  private var state = PipelineState()
  private var segments: [Segment] = []
  private var prepared: [ObjectIdentifier: PreparedName] = [:]
  /// Why preparations failed, by their numbers, while statements that rest on them are under way.
  private var preparationFailures: [Int: PostgresError] = [:]
  private var preparedCount = 0
  private var values: [UnsafePointer<CChar>?] = []
  private var lengths: [Int32] = []
  private var formats: [Int32] = []
  private var renewalInterval = 16
  private var executionsUntilRenewal = 16
  /// Whether a transaction has the connection for itself.
  private(set) var isLeased = false
  /// Whether the connection is closed once nothing is under way: its server takes no changes any
  /// more.
  private var isLeaving = false
  private var openedAt: UInt64 = 0
  /// When something last came over the connection.
  private(set) var heardAt: UInt64 = 0
  /// Called once when the connection is gone.
  var onLost: (PostgresError) -> Void = { _ in }
  /// Called when an answer is late; the connection is to be given up.
  var onLate: () -> Void = {}

  init(loop: EventLoop, _ times: CallTimes) {
    link = Link(loop: loop)
    self.times = times
  }

  /// Segments under way.
  var depth: Int { state.depth }

  /// How the queue sees it.
  var load: ConnectionLoad { ConnectionLoad(isFree: isFree, depth: depth) }

  /// Statements are planned once and not for each execution: planning a row of forty columns costs
  /// more than reading it. All our joins are of a batch of keys with an index, so the planner is
  /// held to that: a plan made while a table was empty must not scan it a minute later.
  private var settings: [String: String] {
    [
      "statement_timeout": "\(times.statementMilliseconds)",
      "idle_in_transaction_session_timeout": "\(Limits.idleTransactionMilliseconds)",
      "plan_cache_mode": "force_generic_plan",
      "enable_seqscan": "off", "enable_hashjoin": "off", "enable_mergejoin": "off",
    ]
  }

  var isOpen: Bool { link.phase == .open }

  /// Whether anyone may send over it.
  var isFree: Bool { !isLeased && !isLeaving && isOpen }

  /// Connects and enters pipeline mode.
  func open(_ address: DatabaseAddress) async throws(PostgresError) {
    try await link.open(address, settings: settings)
    guard PQenterPipelineMode(link.connection) == 1 else { throw link.closeWithError() }
    openedAt = link.loop.nanoseconds
    heardAt = openedAt
    link.onReady = { [unowned self] in receive() }
    link.onSilence = { [unowned self] in onLate() }
  }

  /// Gives it to a transaction alone.
  func lease() { isLeased = true }

  /// Takes it back from its transaction.
  func endLease() {
    isLeased = false
    leaveIfIdle()
  }

  /// Hands a segment to libpq; ``flush()`` sends what has gathered.
  func send(_ segment: Segment) {
    if isOpen, let outdated = link.outdated { lose(outdated) }
    renewPlans(after: segment.executions.count)
    for case .prepared(let type) in segment.executions.lazy.map(\.text)
    where prepared[ObjectIdentifier(type)] == nil {
      sendPreparation(type)
    }
    var sent = 0
    for execution in segment.executions {
      guard link.phase == .open, sendExecution(execution) else { break }
      sent += 1
    }
    if sent < segment.executions.count, PQstatus(link.connection) == CONNECTION_OK {
      // libpq refused it, as with more than 65535 parameters: the connection is as before.
      let reason = String(cString: PQerrorMessage(link.connection))
      segment.executions[sent].fail(PostgresError(.misuse, reason))
      for execution in segment.executions[(sent + 1)...] { execution.skip() }
    }
    finishSending(segment, statements: sent)
  }

  /// Has the server forget its plans from time to time: on an empty table any index is as good as
  /// another, and the index that the server chose then may read the whole table now.
  private func renewPlans(after count: Int) {
    executionsUntilRenewal -= count
    guard executionsUntilRenewal < 0 else { return }
    renewalInterval = min(renewalInterval * 2, Limits.executionsPerPlan)
    executionsUntilRenewal = renewalInterval
    send(Segment([TypedExecution(DiscardPlans())]) {})
  }

  private struct DiscardPlans: Statement { static let sql = "DISCARD PLANS" }

  /// Sends what libpq holds and expects the answers.
  func flush() {
    link.flush()
    if let first = segments.first {
      let (deadline, isNever) = first.sentAt.addingReportingOverflow(times.silenceNanoseconds)
      link.expectAnswer(by: isNever ? .max : deadline)
    }
  }

  private func finishSending(_ segment: Segment, statements: Int) {
    guard link.phase == .open else {
      segment.fail(link.failure)
      return
    }
    segment.sentAt = link.loop.nanoseconds
    segments.append(segment)
    state.sent(statements: statements)
    if PQpipelineSync(link.connection) != 1 { lose(link.closeWithError()) }
  }

  /// Prepares a statement in a segment of its own, so that the preparation does not depend on
  /// statements before it.
  private func sendPreparation(_ type: any Statement.Type) {
    preparedCount += 1
    let name = PreparedName(number: preparedCount)
    prepared[ObjectIdentifier(type)] = name
    let isSent = name.text.withUnsafeBufferPointer { name in
      PQsendPrepare(
        link.connection, name.baseAddress, type.sql, 0, nil)
        == 1
    }
    guard isSent else {
      lose(link.closeWithError())
      return
    }
    let preparation = Preparation(text: .prepared(type), parameters: Parameters())
    preparation.preparation = name.number
    finishSending(Segment([preparation]) {}, statements: 1)
  }

  private func sendExecution(_ execution: Execution) -> Bool {
    let statement = execution.text.statement
    let name = statement.flatMap { prepared[$0] }
    guard name != nil || statement == nil else { return false }
    execution.preparation = name?.number ?? 0
    let parameters = execution.parameters
    return parameters.bytes.withUnsafeBytes { bytes in
      values.removeAll(keepingCapacity: true)
      lengths.removeAll(keepingCapacity: true)
      for range in parameters.ranges {
        let start = range.flatMap { range in bytes.baseAddress.map { $0 + range.lowerBound } }
        values.append(start?.assumingMemoryBound(to: CChar.self))
        lengths.append(Int32(range?.count ?? 0))
      }
      while formats.count < values.count { formats.append(1) }
      guard let name else {
        return PQsendQueryParams(
          link.connection, execution.text.sql, Int32(values.count),
          nil, values, lengths, formats, 1) == 1
      }
      return name.text.withUnsafeBufferPointer { name in
        PQsendQueryPrepared(
          link.connection, name.baseAddress, Int32(values.count), values, lengths, formats, 1) == 1
      }
    }
  }

  private func receive() {
    guard PQconsumeInput(link.connection) == 1 else {
      lose(link.closeWithError())
      return
    }
    heardAt = link.loop.nanoseconds
    var completed: [Segment] = []
    while !state.isEmpty, PQisBusy(link.connection) == 0 {
      guard let segment = takeResult() else { continue }
      completed.append(segment)
    }
    if link.phase == .open {
      if PQstatus(link.connection) == CONNECTION_BAD {
        lose(link.closeWithError())
      } else {
        link.answered()
        if state.isEmpty { preparationFailures.removeAll() }
        flush()
        leaveIfIdle()
      }
    }
    for segment in completed { segment.complete() }
  }

  /// Takes one result.
  /// - Returns: The segment that it completes.
  private func takeResult() -> Segment? {
    let result = PQgetResult(link.connection)
    defer { PQclear(result) }
    let action =
      if let result {
        PQresultStatus(result) == PGRES_PIPELINE_SYNC
          ? state.receivedSync() : state.receivedResult()
      } else {
        state.receivedEnd()
      }
    switch action {
    case .none: return nil
    case .completeSegment: return segments.removeFirst()
    case .deliver(let statement):
      if let result { deliver(result, to: statement, of: segments[0]) }
      return nil
    case .failSegment:
      if let result { failSegment(PostgresError(result: result)) }
      return nil
    case .outOfStep:
      lose(PostgresError(.disconnected, "the server sent an answer that nothing had asked for"))
      return nil
    }
  }

  /// Fails the segment in front behind its last statement.
  private func failSegment(_ error: PostgresError) {
    if error.code == .disconnected { lose(error) } else { segments[0].fail(error) }
  }

  private func deliver(_ result: OpaquePointer, to statement: Int, of segment: Segment) {
    let execution = segment.executions[statement]
    let answer = execution.receive(result)
    if case .skipped = answer,
      statement == 0 || segment.executions[statement - 1].outcome?.isCompleted == true
    {
      // No statement before it failed: the server ended the connection while nothing was under way,
      // and libpq takes that for a failure of the next statement.
      lose(PostgresError(.disconnected, "the server ended the connection"))
      return
    }
    guard case .failed(let error) = answer else { return }
    let number = execution.preparation
    if error.condition == .readOnly { leave() }
    if error.code == .disconnected {
      // libpq only guesses what became of the statements behind it.
      lose(error)
    } else if execution is Preparation {
      // At once: the executions that rest on it come next, perhaps with the same bytes.
      forget(execution)
      preparationFailures[number] = error
    } else if error.sqlState == "26000" || error.sqlState == "0A000" {
      // The prepared statement is not there, or its plan no longer fits the schema.
      forget(execution)
      if let cause = preparationFailures[number] { execution.fail(cause) }
    }
  }

  /// Has a statement prepared anew, unless it has been prepared since.
  private func forget(_ execution: Execution) {
    guard let statement = execution.text.statement else { return }
    if prepared[statement]?.number == execution.preparation { prepared[statement] = nil }
  }

  /// Prepares to leave a server that takes no changes: a standby, or a primary that has become one.
  /// A new connection finds the primary, or the present settings. Where there is no other server to
  /// turn to, a new connection stays for a while, so that reads have a connection.
  private func leave() {
    let age = link.loop.nanoseconds - openedAt
    isLeaving = link.hasAlternatives || age >= Limits.readOnlyNanoseconds
  }

  private func leaveIfIdle() {
    guard isLeaving, !isLeased, state.isEmpty else { return }
    lose(PostgresError(.disconnected, "the server takes no changes"))
  }

  /// Fails the segments whose callers have waited since before a time. The connection stays: the
  /// server ends each statement by itself, and other callers may get their answers over it. A
  /// connection that a transaction has for itself is lost: the transaction would wait for the same
  /// answer before it could roll back.
  func fail(before limit: UInt64, _ error: PostgresError) {
    let late = segments.filter { ($0.since ?? .max) < limit }
    if isLeased, !late.isEmpty { return lose(error) }
    for segment in late { segment.fail(error) }
  }

  /// Gives the connection up; everything under way ends with `error`.
  func lose(_ error: PostgresError) {
    link.close(error)
    let orphans = segments
    segments = []
    state = PipelineState()
    for segment in orphans { segment.fail(error) }
    let onLost = self.onLost
    self.onLost = { _ in }
    onLost(error)
  }
}

/// The name of a prepared statement on its connection: each preparation has one of its own.
private struct PreparedName {
  let number: Int
  let text: ContiguousArray<CChar>

  init(number: Int) {
    self.number = number
    text = ContiguousArray("s\(number)".utf8CString)
  }
}
