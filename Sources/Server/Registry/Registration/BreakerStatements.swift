package import DeviceProfile
package import Postgres

/// The tokens whose burst of refusals a breaker stops: those of one app in one environment.
package struct BreakerKey: Hashable, Sendable {
  package var appID: Int32
  package var environment: Environment

  package init(appID: Int32, environment: Environment) {
    self.appID = appID
    self.environment = environment
  }
}

/// Returns the breakers that are not open, and locks them until the end of the transaction. A call
/// that wants to open one waits for that end, so it finds every token that this transaction took
/// out of use, and can put it back.
package struct HoldClosedBreakers: Statement {
  package static let sql = """
    SELECT b.app_id, b.environment
    FROM unnest($1::int4[], $2::text[]) AS keys (app_id, environment)
    JOIN feedback_breaker AS b USING (app_id, environment)
    WHERE b.opened_at IS NULL
    ORDER BY b.app_id, b.environment
    FOR SHARE OF b
    """
  /// Each once.
  let keys: [BreakerKey]

  package func bind(to parameters: inout Parameters) {
    parameters.append(column: keys.map(\.appID))
    parameters.append(column: keys.map(\.environment.rawValue))
  }

  package static func decode(_ row: inout RowReader) throws(PostgresError) -> BreakerKey {
    BreakerKey(appID: try row.next(), environment: try row.next())
  }
}
