internal import Postgres

/// The named tables, sequences, types and functions in the catalog, as ``ExpectedSchema`` spells
/// them, and whether there is Citus. The statement waits for no lock of them.
struct ReadSchema: Statement {
  /// A partition has the columns of its table. An identity counts as a default. The statement asks
  /// for the rights that other statements need: no statement changes rows of some tables, or
  /// deletes them except with the rows that they belong to. Old entries of the audit log may be
  /// left to its owner.
  static let sql = """
    WITH owner AS (
      SELECT oid, relname, relkind, relispartition FROM pg_class
      WHERE oid = ANY (SELECT to_regclass(name) FROM unnest($1::text[]) AS x (name))
    )
    SELECT relname::text, CASE
      WHEN relkind = 'c' THEN 'a type'
      WHEN relkind = 'S' AND NOT has_sequence_privilege(oid, 'USAGE')
        THEN 'a sequence that the account may not use'
      WHEN relkind = 'S' THEN 'a sequence'
      WHEN relkind NOT IN ('r', 'p') THEN 'no table'
      WHEN relispartition THEN 'a partition'
      WHEN NOT has_table_privilege(oid, 'SELECT') THEN 'a table that the account may not read'
      WHEN relname IN ('schema_migration', 'least_program') THEN 'a table'
      WHEN NOT has_table_privilege(oid, 'INSERT') THEN 'a table that the account may not write'
      WHEN NOT has_table_privilege(oid, 'UPDATE')
        AND relname NOT IN (
          'app_history', 'audit_log', 'catalog', 'catalog_file', 'registration_failure')
        THEN 'a table that the account may not update'
      WHEN NOT has_table_privilege(oid, 'DELETE')
        AND relname NOT IN ('audit_log', 'catalog_file', 'feedback_breaker', 'lease')
        THEN 'a table that the account may not delete from'
      ELSE 'a table' END
    FROM owner
    UNION ALL
    SELECT relname || '.' || attname, format_type(atttypid, atttypmod)
      || CASE WHEN attnotnull THEN ' not null' ELSE '' END
      || CASE WHEN atthasdef OR attidentity <> '' THEN ' default' ELSE '' END
    FROM owner JOIN pg_attribute ON attrelid = owner.oid
    WHERE attnum > 0 AND NOT attisdropped AND NOT relispartition AND relkind <> 'S'
    UNION ALL
    SELECT relname || '(' || (
        SELECT string_agg(coalesce(attname, 'expression'), ',' ORDER BY place)
        FROM unnest(indkey::int2[]) WITH ORDINALITY AS x (number, place)
          LEFT JOIN pg_attribute ON attrelid = indrelid AND attnum = number
      ) || ')', 'unique'
    FROM owner JOIN pg_index ON indrelid = owner.oid
    WHERE indisunique AND indisvalid AND NOT relispartition
    UNION ALL
    SELECT proname || '()', 'function' FROM pg_proc
    WHERE proname = ANY ($1) AND pg_function_is_visible(oid)
    UNION ALL
    SELECT extname::text, 'extension' FROM pg_extension WHERE extname = 'citus'
    """
  let names: [String]

  func bind(to parameters: inout Parameters) { parameters.append(column: names) }

  static func decode(_ row: inout RowReader) throws(PostgresError) -> SchemaPart {
    SchemaPart(name: try row.next(), definition: try row.next())
  }
}

extension Command where Self == Query<String> {
  /// The settings of the server that are off and without which a crash of its machine loses
  /// acknowledged changes. (Sessions turn on `synchronous_commit` by themselves.)
  static func readUnsafeSettings() -> Self {
    Query(
      """
      SELECT name FROM pg_settings
      WHERE name IN ('fsync', 'full_page_writes', 'synchronous_commit') AND setting = 'off'
      ORDER BY name
      """)
  }

  /// The names of the steps that the database has.
  static func readSteps() -> Self {
    Query("SELECT name FROM schema_migration")
  }

  /// The step that a program must know to serve.
  static func readLeastProgram() -> Self {
    Query("SELECT step FROM least_program")
  }

  /// The column by which Citus spreads the installations; no row if it does not spread them.
  static func readDistribution() -> Self {
    Query(
      """
      SELECT column_to_column_name(logicalrelid, partkey) FROM pg_dist_partition
      WHERE logicalrelid = 'installation'::regclass AND partmethod = 'h'
      """)
  }
}

extension Command where Self == Query<ClusterServer> {
  /// The servers of a cluster of Citus that have rows.
  static func listClusterServers() -> Self {
    Query(
      """
      SELECT nodename, nodeport FROM pg_dist_node
      WHERE noderole = 'primary' AND groupid IN (SELECT groupid FROM pg_dist_placement)
      ORDER BY nodename, nodeport
      """, into: ClusterServer.init)
  }
}

extension Command where Self == Query<Bool> {
  /// Whether the coordinator reaches a server of its cluster, with the account of the service.
  static func reachClusterServer(server: ClusterServer) -> Self {
    Query("SELECT citus_check_connection_to_node(\(server.name), \(server.port))")
  }
}

/// A server of a cluster of Citus.
struct ClusterServer: Sendable, Equatable {
  let name: String
  let port: Int32
}
