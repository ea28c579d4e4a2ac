/// A SQL statement as a type: text, parameter encoding and row decoding together, beside the
/// feature that uses it. Values are always bound (`$1`, `$2` …), never spliced into the text.
///
/// ```swift
/// struct AppByName: Statement {
///   static let sql = "SELECT id, name FROM app WHERE name = $1"
///   let name: String
///   func bind(to parameters: inout Parameters) { parameters.append(name) }
///   static func decode(
///     _ row: inout RowReader
///   ) throws(PostgresError) -> (id: Int32, name: String) {
///     (try row.next(), try row.next())
///   }
/// }
/// ```
/// Each connection prepares it once, under a name of its own, the first time it is used there, and
/// plans it once. A command that need not be as fast, or whose text depends on what it asks, is a
/// ``Query``.
public protocol Statement: Command {
  /// The type that one row decodes to. `Void` for statements that return none.
  associatedtype Row: Sendable = Void

  /// The statement's text, one command, with `$n` placeholders.
  static var sql: String { get }

  /// Appends the values of `$1`, `$2` … in order; the same number and types for every
  /// value.
  func bind(to parameters: inout Parameters)

  /// Reads one row's columns from left to right.
  static func decode(_ row: inout RowReader) throws(PostgresError) -> Row
}

extension Statement {
  /// The statement with what it binds.
  public var query: Query<Row> { Query(self) }

  /// A statement without parameters binds nothing.
  public func bind(to parameters: inout Parameters) {}
}

extension Statement where Row: RowDecodable {
  /// Reads the columns of the value or record.
  public static func decode(_ row: inout RowReader) throws(PostgresError) -> Row { try row.next() }
}

extension Statement where Row == Void {
  /// A statement without columns decodes nothing.
  public static func decode(_ row: inout RowReader) throws(PostgresError) {}
}
