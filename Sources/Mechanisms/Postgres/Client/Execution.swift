internal import CLibpq

/// One statement on its way through a connection: what to send, and where its outcome goes.
///
/// The generic subclass knows the row type; the connection sees only this class.
class Execution {
  /// How a statement ended; the outcome is `nil` while it is under way.
  enum StatementResult {
    /// Its rows are decoded.
    case completed
    /// It failed, or its connection broke.
    case failed(PostgresError)
    /// Another statement of its segment failed first, so the server skipped it.
    case skipped

    var isCompleted: Bool { if case .completed = self { true } else { false } }
  }

  let text: CommandText
  let parameters: Parameters
  /// The number of the preparation that this execution rests on, or that it is.
  var preparation = 0
  fileprivate(set) var outcome: StatementResult?

  init(text: CommandText, parameters: Parameters) {
    self.text = text
    self.parameters = parameters
  }

  func decodeRows(_ result: OpaquePointer) throws(PostgresError) {}

  /// Takes the server's answer to this statement; a failure that was told before stays.
  /// - Returns: What the answer says.
  @discardableResult
  func receive(_ result: OpaquePointer) -> StatementResult {
    let answer = answer(result)
    if case .failed = outcome { return answer }
    outcome = answer
    return answer
  }

  private func answer(_ result: OpaquePointer) -> StatementResult {
    switch PQresultStatus(result) {
    case PGRES_TUPLES_OK, PGRES_COMMAND_OK:
      do throws(PostgresError) {
        try decodeRows(result)
        return .completed
      } catch {
        return .failed(error)
      }
    case PGRES_PIPELINE_ABORTED: return .skipped
    default: return .failed(PostgresError(result: result))
    }
  }

  /// Ends it without an answer of the server.
  func fail(_ error: PostgresError) {
    outcome = .failed(error)
  }

  /// Ends it because a statement before it failed.
  func skip() {
    outcome = .skipped
  }
}

/// The preparation of a statement, in a segment of its own.
final class Preparation: Execution {}

/// A command with its rows' type.
final class TypedExecution<Row: Sendable>: Execution {
  private let query: Query<Row>
  private(set) var rows: [Row] = []

  init(_ command: some Command<Row>) {
    query = command.query
    super.init(text: query.text, parameters: query.parameters)
  }

  override func decodeRows(_ result: OpaquePointer) throws(PostgresError) {
    rows = try query.rows(of: result)
  }

  /// The rows, or why there are none.
  func get() throws(PostgresError) -> [Row] {
    switch outcome {
    case .completed: return rows
    case .failed(let error): throw error
    case .skipped, nil:
      throw PostgresError(.server(sqlState: "25P02"), "skipped: an earlier statement failed")
    }
  }
}

/// The statements up to one Sync: one implicit transaction unless it is opened explicitly.
final class Segment {
  let executions: [Execution]
  /// Since when its callers wait, in nanoseconds of the loop's clock; `nil` when they wait as long
  /// as the connection lasts.
  let since: UInt64?
  /// When it was sent, in nanoseconds of the loop's clock.
  var sentAt: UInt64 = 0
  private var finish: (() -> Void)?

  init(_ executions: [Execution], since: UInt64? = nil, finish: @escaping () -> Void) {
    self.executions = executions
    self.since = since
    self.finish = finish
  }

  /// Joins segments into one, up to one Sync.
  convenience init(joining segments: [Segment]) {
    self.init(segments.flatMap(\.executions), since: segments.compactMap(\.since).min()) {
      for segment in segments { segment.complete() }
    }
  }

  /// Tells the callers, once.
  func complete() { finish.take()?() }

  /// Ends the segment before its Sync was answered, and tells the callers. A statement that was
  /// done counts as failed, too: only the Sync commits it. Nobody takes answers that still come.
  func fail(_ error: PostgresError) {
    for execution in executions {
      if case .failed = execution.outcome { continue }
      execution.fail(error)
    }
    complete()
  }
}

extension PostgresError {
  /// The error that a failed result carries.
  init(result: OpaquePointer) {
    func field(_ code: UnicodeScalar) -> String? {
      PQresultErrorField(result, Int32(code.value)).map { String(cString: $0) }
    }
    let message = field("M") ?? "no message"
    // FATAL and PANIC end the connection, whatever the statement was.
    if let sqlState = field("C"), (field("V") ?? field("S")) == "ERROR" {
      self.init(.server(sqlState: sqlState), message, constraint: field("n"))
    } else {
      self.init(.disconnected, message)
    }
  }
}
