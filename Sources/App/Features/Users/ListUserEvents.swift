internal import FoundationEssentials
internal import Postgres
internal import Registry

/// What happened to the tokens of some installations, newest first, also how they lost one to
/// another; so many at most. Each installation goes by its own index entries, and reads no more
/// than that many. A token that moved from one of them to another has one event.
struct ListUserEvents: Statement {
  typealias Row = NumberedTokenEvent
  static let sql = """
    SELECT DISTINCT \(NumberedTokenEvent.selection)
    FROM unnest($2::uuid[]) AS device (device_id) CROSS JOIN LATERAL (
      (
        SELECT \(NumberedTokenEvent.selection) FROM token_history
        WHERE app_id = $1 AND installation_id = device_id
        ORDER BY id DESC LIMIT $3
      ) UNION ALL (
        SELECT \(NumberedTokenEvent.selection) FROM token_history
        WHERE app_id = $1 AND from_installation_id = device_id
        ORDER BY id DESC LIMIT $3
      )
    ) AS halves
    ORDER BY id DESC LIMIT $3
    """
  let appID: Int32
  let installations: [InstallationID]
  let limit: Int

  func bind(to parameters: inout Parameters) {
    parameters.append(appID, installations.map(\.uuid), Int64(limit))
  }
}
