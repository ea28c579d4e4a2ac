internal import Postgres

/// The facts that a server tells of itself and of the account that asks.
struct ServerFacts: Sendable, Equatable {
  /// Such as `15.14 (Debian 15.14-0+deb12u1)`.
  var version = "15.0"
  /// Such as 150014.
  var versionNumber: Int32 = 150_000
  var account = "postilion_service"
  var isStandby = false
  var isSuperuser = false
  /// Whether the account may change and drop the tables.
  var ownsTables = false
  /// How many sessions the account may have at once, if no other has any.
  var sessions: Int32 = 97
  /// Bytes of the database, indexes included.
  var bytes: Int64 = 0
  /// The clock of the server.
  var time = Timestamp(microseconds: 0)

  func server(at place: String) -> Checkup.Entry {
    let name = "PostgreSQL \(version.split(separator: " ").first ?? "")"
    guard versionNumber >= Limits.leastServerVersion else {
      return .wrong(
        "database", "It is \(name) (\(place)).", "Update it: PostgreSQL 14 or later is needed.")
    }
    guard !isStandby else {
      return .wrong(
        "database", "\(name) is a standby (\(place)), and takes no changes.",
        "Name the primary in DATABASE_URL, or all servers: postgres://a,b,c/postilion.")
    }
    return .ok("database", "\(name) lets \(account) in (\(place)).")
  }

  /// The rights of the account.
  /// - Parameter schema: The parts that the database has of the schema that this program needs.
  func rights(_ schema: [SchemaPart]) -> Checkup.Entry {
    let remedy =
      "sql/roles.sql makes postilion_service, which reads and writes rows and nothing else: "
      + "docs/operations.md, Roles."
    if isSuperuser {
      return .note("rights", "\(account) is a superuser, who may do everything.", remedy)
    }
    if ownsTables {
      return .note("rights", "\(account) owns the tables, and may drop them.", remedy)
    }
    let barred = schema.filter(\.isBarred)
    if let first = barred.first {
      let others = barred.count > 1 ? " (and \(barred.count - 1) more like it)" : ""
      return .wrong(
        "rights", "\(account) lacks rights: \(first.name) is \(first.definition)\(others).",
        "Run sql/roles.sql in this database.")
    }
    return .ok("rights", "\(account) reads and writes rows, and owns no table.")
  }

  /// Whether this month and the next have partitions. The owner of the tables makes them once a
  /// day.
  /// - Parameter existing: The partitions of all tables.
  func partitions(_ existing: Set<String>, tables: [String]) -> Checkup.Entry {
    let months = [Month(of: time), Month(of: time) + 1]
    let missing = PartitionedTable.all.filter { tables.contains($0.name) }.flatMap { table in
      months.map { table.partition($0) }.filter { !existing.contains($0) }
    }
    guard let first = missing.first else {
      return .ok("partitions", "The partitions of this month and the next exist.")
    }
    if ownsTables {
      return .ok("partitions", "The service itself makes the \(missing.count) that are missing.")
    }
    let others = missing.count > 1 ? " and \(missing.count - 1) more are" : " is"
    return .wrong(
      "partitions", "\(first)\(others) missing: their rows go into the default partition.",
      "Run postilion maintain with the account that owns the tables, now and once a day.")
  }

  /// Whether the server has the sessions that an instance takes.
  /// - Parameters:
  ///   - calls: The most sessions that an instance takes without exports and statistics.
  ///   - streams: The most sessions that exports and statistics take.
  func sessions(calls: Int, streams: Int) -> Checkup.Entry {
    let all = calls + streams
    guard sessions < all else {
      return .ok("sessions", "The server has enough for this instance, with all its exports.")
    }
    let remedy =
      "Raise max_connections of the server or the limit of the account, or lower POSTILION_LOOPS "
      + "or POSTILION_DATABASE_CONNECTIONS: docs/scale.md, Sessions."
    let finding = "\(account) may have \(sessions), and this instance takes up to"
    return sessions < calls
      ? .wrong("sessions", "\(finding) \(calls) without any export.", remedy)
      : .note("sessions", "\(finding) \(all) with many exports at once: some then get 503.", remedy)
  }

  /// The size of the database.
  var size: Checkup.Entry {
    .ok("disk", "The database has \(bytes >> 20) MB. Watch the room on the disk of its server.")
  }
}

struct ReadServerFacts: Statement {
  /// Reserved sessions are for superusers or, since PostgreSQL 16, for accounts that they choose. A
  /// limit of -1 is no limit.
  static let sql = """
    SELECT current_setting('server_version'), current_setting('server_version_num')::int4,
      rolname::text, pg_is_in_recovery(), rolsuper,
      EXISTS (
        SELECT FROM pg_class
        WHERE oid = to_regclass('schema_migration') AND pg_has_role(relowner, 'USAGE')),
      least(
        current_setting('max_connections')::int4
          - current_setting('superuser_reserved_connections')::int4
          - coalesce(current_setting('reserved_connections', true)::int4, 0),
        nullif(rolconnlimit, -1), (
          SELECT nullif(datconnlimit, -1) FROM pg_database WHERE datname = current_database())),
      pg_database_size(current_database()), clock_timestamp()
    FROM pg_roles WHERE rolname = current_user
    """

  static func decode(_ row: inout RowReader) throws(PostgresError) -> ServerFacts {
    ServerFacts(
      version: try row.next(), versionNumber: try row.next(), account: try row.next(),
      isStandby: try row.next(), isSuperuser: try row.next(), ownsTables: try row.next(),
      sessions: try row.next(), bytes: try row.next(), time: try row.next())
  }
}

extension Command where Self == Query<String> {
  static func listPartitions() -> Self {
    Query(
      """
      SELECT relname::text FROM pg_inherits JOIN pg_class ON oid = inhrelid
      WHERE relnamespace = 'public'::regnamespace
      """)
  }
}
