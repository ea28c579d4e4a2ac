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
/// The text is the same for every value of the type: each connection prepares it once, under a
/// name of its own, the first time it is used there. A value whose text depends on what it asks for
/// has a text of its own, which is put together from constant pieces and forgotten after its use.
public protocol Statement: Sendable {
  /// What one row decodes to. `Void` for statements that return none.
  associatedtype Row: Sendable = Void

  /// The statement's text, one command, with `$n` placeholders.
  static var sql: String { get }

  /// Whether each execution is planned for its values: lists with optional filters, whose best
  /// index depends on which are given. All others are planned once per connection.
  static var isPlannedEachTime: Bool { get }

  /// The text of this value alone, `nil` when it is that of the type. No bound value stands in it.
  var ownText: String? { get }

  /// Appends the values of `$1`, `$2` … in order; the same number and types for every value
  /// with the same text.
  func bind(to parameters: inout Parameters)

  /// Reads one row's columns from left to right.
  static func decode(_ row: inout RowReader) throws(PostgresError) -> Row
}

extension Statement {
  /// Planned once per connection.
  public static var isPlannedEachTime: Bool { false }

  /// The text of the type.
  public var ownText: String? { nil }

  /// A statement without parameters binds nothing.
  public func bind(to parameters: inout Parameters) {}
}

extension Statement where Row: PostgresValue {
  /// Reads the only column.
  public static func decode(_ row: inout RowReader) throws(PostgresError) -> Row { try row.next() }
}

/// A value that reads its own columns.
public protocol RowDecodable {
  /// Reads them from left to right.
  init(row: inout RowReader) throws(PostgresError)
}

extension Statement where Row: RowDecodable {
  /// Reads the value's columns.
  public static func decode(_ row: inout RowReader) throws(PostgresError) -> Row {
    try Row(row: &row)
  }
}

extension Statement where Row == Void {
  /// A statement without columns decodes nothing.
  public static func decode(_ row: inout RowReader) throws(PostgresError) {}
}
