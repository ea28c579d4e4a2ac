internal import Postgres

/// A portion of rows from before a time.
protocol OldPortion: PurgePortion {
  var before: Timestamp { get }
}

extension OldPortion {
  var bound: Timestamp { before }
}

/// Of the history that no month's partition has.
struct PurgeOldHistory: OldPortion, Statement {
  static let sql = portion(of: "token_history_default", where: "at < $1")
  let before: Timestamp
}

/// Of what else happened that no month's partition has.
struct PurgeOldAppHistory: OldPortion, Statement {
  static let sql = portion(of: "app_history_default", where: "at < $1")
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
  static let sql = portion(of: "registration_failure_default", where: "received_at < $1")
  let before: Timestamp
}

/// Of the audit log that no month's partition has.
struct PurgeOldAudits: OldPortion, Statement {
  static let sql = portion(of: "audit_log_default", where: "at < $1")
  let before: Timestamp
}

/// Of the codes for installations that no app has claimed.
struct PurgeOldClaimCodes: OldPortion, Statement {
  static let sql = portion(of: "claim_code", where: "made_at < $1")
  let before: Timestamp
}

/// Of the tokens that no one has, of all apps.
struct PurgeGivenUpTokens: OldPortion, Statement {
  static let sql = portion(
    of: "token_owner", where: "installation_id IS NULL AND registered_at < $1",
    by: "registered_at")
  let before: Timestamp
}
