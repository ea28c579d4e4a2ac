internal import Postgres

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
  var bound: Int32 { appID }

  fileprivate static func portion(of table: String, by key: String) -> String {
    portion(of: table, where: "app_id = $1", by: key)
  }
}

/// Of its tokens' history.
struct PurgeHistory: AppPortion, Statement {
  static let sql = portion(of: "token_history", by: "installation_id")
  let appID: Int32
}

/// Of what else happened in it.
struct PurgeAppHistory: AppPortion, Statement {
  static let sql = portion(of: "app_history", by: "transaction_id")
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

/// Of what its unchanged installations reported.
struct PurgeSightings: AppPortion, Statement {
  static let sql = portion(of: "sighting", by: "installation_id")
  let appID: Int32
}

/// Of its users' languages.
struct PurgeUserLanguages: AppPortion, Statement {
  static let sql = portion(of: "user_language", by: "user_id")
  let appID: Int32
}

/// Of the codes for its installations.
struct PurgeClaimCodes: AppPortion, Statement {
  static let sql = portion(of: "claim_code", by: "installation_id")
  let appID: Int32
}

/// One of its catalogs, with its files.
struct PurgeCatalog: AppPortion, Statement {
  static let sql = portion(of: "catalog", by: "version")
  let appID: Int32

  func bind(to parameters: inout Parameters) { parameters.append(appID, Int64(1)) }
}

/// The row of a deleted app, and what else hangs on it.
struct PurgeApp: Statement {
  static let sql = "DELETE FROM app WHERE id = $1 AND deleted_at IS NOT NULL"
  let id: Int32

  func bind(to parameters: inout Parameters) { parameters.append(id) }
}
