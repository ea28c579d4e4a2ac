package import Postgres

/// The installations on which a person is logged in, the last seen first; so many at most. They are
/// found first and sorted then: for a few rows in that order the planner might walk the whole app.
package struct ListUserInstallations: Statement {
  package typealias Row = Installation
  package static let sql = """
    WITH theirs AS MATERIALIZED (
      SELECT * FROM installation WHERE app_id = $1 AND user_id = $2
    )
    SELECT \(InstallationColumn.selection) FROM theirs
    ORDER BY last_seen_at DESC, installation_id LIMIT $3
    """
  package let user: UserKey
  package let limit: Int

  package init(user: UserKey, limit: Int) {
    self.user = user
    self.limit = limit
  }

  package func bind(to parameters: inout Parameters) {
    parameters.append(user)
    parameters.append(Int64(limit))
  }
}

/// A person's installations that have the same words of tokens.
package struct SummarizeUser: Statement {
  package static let sql = """
    SELECT count(*), max(last_seen_at), \(tokenWords)
    FROM installation WHERE app_id = $1 AND user_id = $2 GROUP BY 3
    """
  package let user: UserKey

  package init(user: UserKey) {
    self.user = user
  }

  package func bind(to parameters: inout Parameters) { parameters.append(user) }

  package static func decode(
    _ row: inout RowReader
  ) throws(PostgresError) -> (count: Int64, lastSeenAt: Timestamp, words: String) {
    (try row.next(), try row.next(), try row.next())
  }
}

/// A person's installations in numbers.
package struct UserSummary: Sendable {
  /// On how many the person is logged in.
  package private(set) var installations: Int64 = 0
  /// When one of them was last seen.
  package private(set) var lastSeenAt: Timestamp?
  package private(set) var tokens = TokenCounts()

  package init(_ rows: [SummarizeUser.Row]) {
    for row in rows {
      installations += row.count
      lastSeenAt = max(lastSeenAt ?? row.lastSeenAt, row.lastSeenAt)
      tokens.add(row.words, of: row.count)
    }
  }
}
