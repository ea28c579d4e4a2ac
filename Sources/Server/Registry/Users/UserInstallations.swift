package import Postgres

extension Command where Self == Query<Installation> {
  /// The installations on which a person is logged in, the last seen first; so many at most. They
  /// are found first and sorted then: for a few rows in that order the planner might walk the whole
  /// app.
  package static func listUserInstallations(user: UserKey, limit: Int) -> Self {
    Query(
      """
      WITH theirs AS MATERIALIZED (
        SELECT * FROM installation WHERE app_id = \(user.appID) AND user_id = \(user.id)
      )
      SELECT \(constant: InstallationColumn.selection) FROM theirs
      ORDER BY last_seen_at DESC, installation_id LIMIT \(Int64(limit))
      """)
  }
}

extension Command where Self == Query<(count: Int64, lastSeenAt: Timestamp, words: String)> {
  /// How many of a person's installations have the same words of tokens, and when one was last
  /// seen.
  package static func summarizeUser(user: UserKey) -> Self {
    Query(
      """
      SELECT count(*), max(last_seen_at), \(constant: tokenWords)
      FROM installation WHERE app_id = \(user.appID) AND user_id = \(user.id) GROUP BY 3
      """
    ) { row in (try row.next(), try row.next(), try row.next()) }
  }
}

/// A person's installations in numbers.
package struct UserSummary: Sendable {
  /// How many installations the person is logged in on.
  package private(set) var installations: Int64 = 0
  /// When one of them was last seen.
  package private(set) var lastSeenAt: Timestamp?
  package private(set) var tokens = TokenCounts()

  package init(_ rows: [(count: Int64, lastSeenAt: Timestamp, words: String)]) {
    for row in rows {
      installations += row.count
      lastSeenAt = max(lastSeenAt ?? row.lastSeenAt, row.lastSeenAt)
      tokens.add(row.words, of: row.count)
    }
  }
}
