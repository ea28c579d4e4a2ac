import Postgres

/// Deletes a portion of what is to go, at most about ``Limits/purgePortion`` rows, and answers how
/// many: millions in one statement would outlast its time and hold their locks for all of it.
protocol PurgePortion: Statement where Row == Int64 {}

extension PurgePortion {
  static func decode(_ row: inout RowReader) throws(PostgresError) -> Int64 { try row.next() }
}

extension PostgresClient {
  /// Deletes portion by portion until nothing is left.
  /// - Returns: How many rows are gone.
  func purge(_ portion: some PurgePortion) async throws(PostgresError) -> Int64 {
    var total: Int64 = 0
    while let count = try await write(portion).first, count > 0 { total += count }
    return total
  }
}

// MARK: What a deleted app leaves

/// An app that was deleted and may still have rows.
struct DeletedApps: Statement {
  static let sql = "SELECT id, slug FROM app WHERE deleted_at IS NOT NULL ORDER BY id"

  static func decode(
    _ row: inout RowReader
  ) throws(PostgresError) -> (id: Int32, slug: String) {
    (try row.next(), try row.next())
  }
}

/// A portion of an app's rows.
protocol AppPortion: PurgePortion {
  var appID: Int32 { get }
}

extension AppPortion {
  func bind(to parameters: inout Parameters) {
    parameters.append(appID)
    parameters.append(Limits.purgePortion)
  }

  /// The first rows of an app in the order of an index: up to the key at which the portion ends.
  fileprivate static func portion(of table: String, by key: String) -> String {
    """
    WITH gone AS (
      DELETE FROM \(table)
      WHERE app_id = $1 AND (\(key)) <= (
        SELECT \(key) FROM (
          SELECT \(key) FROM \(table) WHERE app_id = $1 ORDER BY \(key) LIMIT $2
        ) AS portion ORDER BY \(descending(key)) LIMIT 1)
      RETURNING 1
    )
    SELECT count(*) FROM gone
    """
  }

  private static func descending(_ key: String) -> String {
    key.split(separator: ", ").map { "\($0) DESC" }.joined(separator: ", ")
  }
}

/// Of its tokens' history.
struct PurgeHistory: AppPortion, Statement {
  static let sql = portion(of: "token_history", by: "installation_id")
  let appID: Int32
}

/// Of its failures.
struct PurgeFailures: AppPortion, Statement {
  static let sql = portion(of: "registration_failure", by: "occurred_at")
  let appID: Int32
}

/// Of its tokens.
struct PurgeTokens: AppPortion, Statement {
  static let sql = portion(of: "token_owner", by: "environment, kind, token")
  let appID: Int32
}

/// Of its installations.
struct PurgeInstallations: AppPortion, Statement {
  static let sql = portion(of: "installation", by: "installation_id")
  let appID: Int32
}

/// Of its users' languages.
struct PurgeUserLanguages: AppPortion, Statement {
  static let sql = portion(of: "user_language", by: "user_id")
  let appID: Int32
}

/// One of its catalogs, with its files.
struct PurgeCatalog: PurgePortion, Statement {
  static let sql = """
    WITH gone AS (
      DELETE FROM catalog
      WHERE app_id = $1 AND version = (SELECT min(version) FROM catalog WHERE app_id = $1)
      RETURNING 1
    )
    SELECT count(*) FROM gone
    """
  let appID: Int32

  func bind(to parameters: inout Parameters) { parameters.append(appID) }
}

/// The row of a deleted app, and what else hangs on it.
struct PurgeApp: Statement {
  static let sql = "DELETE FROM app WHERE id = $1 AND deleted_at IS NOT NULL"
  let id: Int32

  func bind(to parameters: inout Parameters) { parameters.append(id) }
}

// MARK: What is too old

/// A portion of rows from before a time.
protocol OldPortion: PurgePortion {
  var before: Timestamp { get }
}

extension OldPortion {
  func bind(to parameters: inout Parameters) {
    parameters.append(before)
    parameters.append(Limits.purgePortion)
  }

  /// A place on a page says nothing of the row by itself: the row may be another one by then, or
  /// that of another shard.
  fileprivate static func portion(of table: String, by column: String) -> String {
    """
    WITH gone AS (
      DELETE FROM \(table)
      WHERE \(column) < $1
        AND ctid = ANY (ARRAY(SELECT ctid FROM \(table) WHERE \(column) < $1 LIMIT $2))
      RETURNING 1
    )
    SELECT count(*) FROM gone
    """
  }
}

/// Of the history that no month's partition has.
struct PurgeOldHistory: OldPortion, Statement {
  static let sql = portion(of: "token_history_default", by: "at")
  let before: Timestamp
}

/// Of the failures that no month's partition has.
struct PurgeOldFailures: OldPortion, Statement {
  static let sql = portion(of: "registration_failure_default", by: "received_at")
  let before: Timestamp
}

/// Of the audit log that no month's partition has.
struct PurgeOldAudits: OldPortion, Statement {
  static let sql = portion(of: "audit_log_default", by: "at")
  let before: Timestamp
}

/// Of the tokens that no one has. One that is just being taken is passed over.
struct PurgeGivenUpTokens: OldPortion, Statement {
  static let sql = """
    WITH gone AS (
      DELETE FROM token_owner AS t USING (
        SELECT app_id, environment, kind, token FROM token_owner
        WHERE installation_id IS NULL AND registered_at < $1
        ORDER BY registered_at LIMIT $2 FOR UPDATE SKIP LOCKED
      ) AS x
      WHERE t.app_id = x.app_id AND t.environment = x.environment AND t.kind = x.kind
        AND t.token = x.token
      RETURNING 1
    )
    SELECT count(*) FROM gone
    """
  let before: Timestamp
}
