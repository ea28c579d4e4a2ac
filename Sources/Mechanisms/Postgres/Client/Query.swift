internal import CLibpq

/// A command for the database: a ``Query``, or a ``Statement``, which each connection prepares.
public protocol Command<Row>: Sendable {
  /// The type that one row decodes to. `Void` for commands that return none.
  associatedtype Row: Sendable = Void

  /// What is sent, and how its rows are read.
  var query: Query<Row> { get }
}

/// A command as a value: its text, what it binds, and how a row is read.
///
/// ```swift
/// extension Command where Self == Query<Int64> {
///   static func countKeys(of app: Int32) -> Self {
///     Query("SELECT count(*) FROM api_key WHERE app_id = \(app)")
///   }
/// }
/// let count = try await database.read(.countKeys(of: app)).first
/// ```
/// The server parses it anew and plans it for its values at each use. A command that runs in each
/// round or for each call is a ``Statement``.
public struct Query<Row: Sendable>: Command {
  let text: CommandText
  let parameters: Parameters
  let decode: @Sendable (_ row: inout RowReader) throws(PostgresError) -> Row

  /// A command whose rows a function reads, the columns from left to right.
  /// - Parameter decode: It throws only a ``PostgresError``.
  public init(_ sql: SQL, _ decode: @escaping @Sendable (_ row: inout RowReader) throws -> Row) {
    self.init(.once(sql.text), sql.parameters, decode)
  }

  /// A command whose rows a function makes of their columns, such as the initializer of a record.
  public init<each Part: RowDecodable>(
    _ sql: SQL, into make: @escaping @Sendable (repeat each Part) -> Row
  ) {
    self.init(sql) { row in try row.next(into: make) }
  }

  private init(
    _ text: CommandText, _ parameters: Parameters,
    _ decode: @escaping @Sendable (_ row: inout RowReader) throws -> Row
  ) {
    self.text = text
    self.parameters = parameters
    self.decode = { (row) throws(PostgresError) in
      do {
        return try decode(&row)
      } catch {
        throw error as? PostgresError ?? PostgresError(.decoding, "\(error)")
      }
    }
  }

  init<S: Statement>(_ statement: S) where S.Row == Row {
    text = .prepared(S.self)
    var parameters = Parameters()
    statement.bind(to: &parameters)
    self.parameters = parameters
    decode = S.decode
  }

  public var query: Self { self }

  /// The rows of a result of the command.
  func rows(of result: OpaquePointer) throws(PostgresError) -> [Row] {
    let count = PQntuples(result)
    var rows: [Row] = []
    rows.reserveCapacity(Int(count))
    for row in 0..<count {
      var reader = RowReader(result: result, row: row)
      rows.append(try decode(&reader))
    }
    return rows
  }

  /// The plan that the server makes of it, line by line.
  public var explained: Query<String> {
    Query<String>(.once("EXPLAIN \(sql)"), parameters) { row in try row.next() }
  }

  /// Its text, with `$1`, `$2` … where a value is bound.
  public var sql: String { text.sql }
}

extension Query where Row: RowDecodable {
  /// A command whose rows are values of one column, or records.
  public init(_ sql: SQL) {
    self.init(sql) { row in try row.next() }
  }
}

extension Query where Row == Void {
  /// A command that returns no row.
  public init(_ sql: SQL) {
    self.init(sql) { _ in }
  }
}

/// The text of a command.
enum CommandText {
  /// The text of a statement's type, which each connection prepares once. The type may put it
  /// together anew each time.
  case prepared(any Statement.Type)
  /// The text of a command that is used once.
  case once(String)

  var sql: String {
    switch self {
    case .prepared(let type): type.sql
    case .once(let sql): sql
    }
  }

  /// The statement that is prepared.
  var statement: ObjectIdentifier? {
    if case .prepared(let type) = self { ObjectIdentifier(type) } else { nil }
  }
}
