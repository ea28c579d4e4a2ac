internal import CLibpq

/// One statement on its way through a connection: what to send, and where its outcome goes.
///
/// The generic subclass knows the row type; the connection sees only this class.
class Execution {
  /// How it ended, `nil` while it is under way.
  enum StatementResult {
    /// Its rows are decoded.
    case completed
    /// It failed, or its connection broke.
    case failed(PostgresError)
    /// Another statement of its segment failed first, so the server skipped it.
    case skipped

    var isCompleted: Bool { if case .completed = self { true } else { false } }
  }

  let statement: PreparedStatement
  let parameters: Parameters
  /// The number of the preparation that it rests on, or is.
  var preparation = 0
  fileprivate(set) var outcome: StatementResult?

  init(statement: PreparedStatement, parameters: Parameters) {
    self.statement = statement
    self.parameters = parameters
  }

  /// Decodes a result's rows.
  func decodeRows(_ result: OpaquePointer) throws(PostgresError) {}

  /// Takes what the server said about this statement; a failure that was told stays.
  /// - Returns: What the server said.
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

  /// Ends it because one before it failed.
  func skip() {
    outcome = .skipped
  }
}

/// The preparation of a statement, in a segment of its own.
final class Preparation: Execution {}

/// A statement with its rows' type.
final class TypedExecution<S: Statement>: Execution {
  private(set) var rows: [S.Row] = []

  init(_ statement: S) {
    var parameters = Parameters()
    statement.bind(to: &parameters)
    super.init(statement: PreparedStatement(statement), parameters: parameters)
  }

  override func decodeRows(_ result: OpaquePointer) throws(PostgresError) {
    rows = try S.decode(result)
  }

  /// The rows, or why there are none.
  func get() throws(PostgresError) -> [S.Row] {
    switch outcome {
    case .completed: return rows
    case .failed(let error): throw error
    case .skipped, nil:
      throw PostgresError(.server(sqlState: "25P02"), "skipped: an earlier statement failed")
    }
  }
}

extension Statement {
  /// The rows of a result of it.
  static func decode(_ result: OpaquePointer) throws(PostgresError) -> [Row] {
    let count = PQntuples(result)
    var rows: [Row] = []
    rows.reserveCapacity(Int(count))
    for row in 0..<count {
      var reader = RowReader(result: result, row: row)
      rows.append(try decode(&reader))
    }
    return rows
  }
}

/// What a connection prepares once and then runs by name, unless its text is of this one use.
struct PreparedStatement {
  private let type: any Statement.Type
  private let ownText: String?

  init<S: Statement>(_ statement: S) {
    type = S.self
    ownText = statement.ownText
  }

  /// The statement's type: one prepared statement each.
  var id: ObjectIdentifier { ObjectIdentifier(type) }

  /// Its text; that of a type may be put together anew each time it is asked for.
  var sql: String { ownText ?? type.sql }

  /// Whether the text is that of the type.
  var isNamed: Bool { ownText == nil }
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

  /// All of some segments up to one Sync.
  convenience init(joining segments: [Segment]) {
    self.init(segments.flatMap(\.executions), since: segments.compactMap(\.since).min()) {
      for segment in segments { segment.complete() }
    }
  }

  /// Tells the callers, once.
  func complete() { finish.take()?() }

  /// Ends it before its Sync was answered, and tells the callers. A statement that was done counts
  /// as failed too: the Sync is what commits it. Answers that still come are taken by nobody.
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
