internal import FoundationEssentials
internal import Postgres
internal import Registry

extension Command where Self == Query<NumberedTokenEvent> {
  /// The events of an installation's tokens, newest first, also the loss of a token to another
  /// installation. There is one row more than the limit, if it exists. Each half of the query goes
  /// by its own index, and reads no more than a page.
  static func listInstallationHistory(
    installation: InstallationKey, before: Int64, limit: Int?
  ) -> Self {
    Query(
      """
      SELECT * FROM (
        (
          SELECT \(constant: NumberedTokenEvent.selection) FROM token_history
          WHERE app_id = \(installation.appID)
            AND installation_id = \(installation.id.uuid) AND id < \(before)
          ORDER BY id DESC LIMIT \(limit.map { Int64($0 + 1) })
        ) UNION ALL (
          SELECT \(constant: NumberedTokenEvent.selection) FROM token_history
          WHERE app_id = \(installation.appID)
            AND from_installation_id = \(installation.id.uuid) AND id < \(before)
          ORDER BY id DESC LIMIT \(limit.map { Int64($0 + 1) })
        )
      ) AS halves
      ORDER BY id DESC LIMIT \(limit.map { Int64($0 + 1) })
      """)
  }

  /// The events of a token in all installations, newest first; one row more than the limit, if
  /// there is one.
  static func listTokenHistory(
    appID: Int32, token: DeviceToken, before: Int64, limit: Int?
  ) -> Self {
    Query(
      """
      SELECT \(constant: NumberedTokenEvent.selection) FROM token_history
      WHERE app_id = \(appID) AND token = \(Bytea(token.bytes)) AND id < \(before)
      ORDER BY id DESC LIMIT \(limit.map { Int64($0 + 1) })
      """)
  }
}
