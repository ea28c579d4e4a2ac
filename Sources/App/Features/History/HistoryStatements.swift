internal import FoundationEssentials
internal import Postgres
internal import Registry

/// What happened to the tokens of an installation, newest first, also how it lost one to another;
/// one row more than the limit, if there is one. Each half goes by its own index, and reads no more
/// than a page.
struct ListInstallationHistory: Statement {
  typealias Row = NumberedTokenEvent
  static let sql = """
    SELECT * FROM (
      (
        SELECT \(NumberedTokenEvent.selection) FROM token_history
        WHERE app_id = $1 AND installation_id = $2 AND id < $3
        ORDER BY id DESC LIMIT $4
      ) UNION ALL (
        SELECT \(NumberedTokenEvent.selection) FROM token_history
        WHERE app_id = $1 AND from_installation_id = $2 AND id < $3
        ORDER BY id DESC LIMIT $4
      )
    ) AS halves
    ORDER BY id DESC LIMIT $4
    """
  let installation: InstallationKey
  let before: Int64
  let limit: Int?

  func bind(to parameters: inout Parameters) {
    parameters.append(installation.appID, installation.id.uuid, before, limit.map { Int64($0 + 1) })
  }
}

/// What happened to a token, wherever it was, newest first; one row more than the limit, if
/// there is one.
struct ListTokenHistory: Statement {
  typealias Row = NumberedTokenEvent
  static let sql = """
    SELECT \(NumberedTokenEvent.selection) FROM token_history
    WHERE app_id = $1 AND token = $2 AND id < $3
    ORDER BY id DESC LIMIT $4
    """
  let appID: Int32
  let token: DeviceToken
  let before: Int64
  let limit: Int?

  func bind(to parameters: inout Parameters) {
    parameters.append(appID, Bytea(token.bytes), before, limit.map { Int64($0 + 1) })
  }
}
