internal import Postgres

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

/// Of what else happened that no month's partition has.
struct PurgeOldAppHistory: OldPortion, Statement {
  static let sql = portion(of: "app_history_default", by: "at")
  let before: Timestamp
}

/// Says from when on all changes are kept: before older ones go, so that nobody who has yet to read
/// them goes on as if nothing had been there.
struct KeepChangesSince: Statement {
  static let sql = "UPDATE change_epoch SET kept_since = $1 WHERE kept_since < $1"
  let time: Timestamp

  func bind(to parameters: inout Parameters) { parameters.append(time) }
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

/// Of the codes for installations that no app has claimed.
struct PurgeOldClaimCodes: OldPortion, Statement {
  static let sql = portion(of: "claim_code", by: "made_at")
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
  /// Citus passes no row over: a portion is what is as old as its last row.
  static let distributedSQL: String? = """
    WITH gone AS (
      DELETE FROM token_owner
      WHERE installation_id IS NULL AND registered_at <= (
        SELECT max(registered_at) FROM (
          SELECT registered_at FROM token_owner
          WHERE installation_id IS NULL AND registered_at < $1
          ORDER BY registered_at LIMIT $2
        ) AS portion)
      RETURNING 1
    )
    SELECT count(*) FROM gone
    """
  let before: Timestamp
}
