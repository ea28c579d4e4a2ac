/// What a failure says about the database: whether the call is at fault, or the state in which it
/// met the server. It decides what a client is told, and whether it is worth a second try.
public enum DatabaseCondition: Sendable, Hashable {
  /// The call is at fault, or a row of it: said again, it fails again.
  case refusal
  /// Others were in its way: said again, it may pass at once.
  case contention
  /// The server is not there: it starts or ends, or has no connection left.
  case outage
  /// The server takes no changes: it is a standby, or was set so.
  case readOnly
  /// The server lacks what it does not get by itself: room on its disk, memory, a file.
  case breakdown
  /// The schema is not the one that the statement was written for: a table, a column, a function or
  /// a right is missing or is another. Every statement of ours is tested against the schema.
  case mismatch

  /// The meaning of a SQLSTATE (PostgreSQL manual, appendix A): the meaning of its longest
  /// beginning in the table. A SQLSTATE that the table does not have is the call's fault.
  ///
  ///     40001 → contention       40003 → outage       23505 → refusal
  public init(sqlState: String) {
    let entry = Self.table.filter { sqlState.hasPrefix($0.beginning) }
      .max { $0.beginning.count < $1.beginning.count }
    self = entry?.condition ?? .refusal
  }

  private static let table: [(beginning: String, condition: Self)] = [
    // Connection exceptions.
    ("08", .outage),
    // A feature that the server does not have, or a plan that fits a column no more.
    ("0A", .mismatch),
    // A column that wants a value, and that the statement does not know.
    ("23502", .mismatch),
    // A change in a read-only transaction.
    ("25006", .readOnly),
    // The transaction was rolled back: a race, a deadlock.
    ("40", .contention),
    // … by a constraint.
    ("40002", .refusal),
    // … or not: nobody knows.
    ("40003", .outage),
    // Access, and names: of tables, columns, functions and types.
    ("42", .mismatch),
    // Insufficient resources: a full disk, no memory, a limit of the configuration.
    ("53", .breakdown),
    // Too many connections: others end theirs.
    ("53300", .outage),
    // A table or a row that others hold.
    ("55006", .contention), ("55P03", .contention),
    // An operator steps in: the server ends, or does not take connections yet.
    ("57", .outage),
    // A statement that took too long.
    ("57014", .contention),
    // The system beneath the server fails: a disk that cannot be read, a file that is gone.
    ("58", .breakdown),
  ]
}

extension PostgresError {
  /// What the error says about the database.
  public var condition: DatabaseCondition {
    switch code {
    case .server(let sqlState): DatabaseCondition(sqlState: sqlState)
    case .disconnected, .login: .outage
    case .overloaded: .contention
    case .decoding, .outdated: .mismatch
    case .misuse: .refusal
    }
  }
}
