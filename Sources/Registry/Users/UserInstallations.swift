package import DeviceProfile
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

/// A person's installations in numbers.
package struct UserSummary: Sendable {
  /// How many tokens of a kind have each status.
  package typealias Tokens = (
    kind: CredentialKind, statuses: [(status: CredentialStatus, count: Int64)]
  )

  /// On how many the person is logged in.
  package let installations: Int64
  /// When one of them was last seen.
  package let lastSeenAt: Timestamp?
  package let tokens: [Tokens]
}

/// Counts the installations of a person.
package struct SummarizeUser: Statement {
  package static let sql: String = {
    let counts = CredentialKind.withColumns.flatMap { kind in
      CredentialStatus.allCases.map { status in
        "count(*) FILTER (WHERE \(kind.rawValue)_status = '\(status.rawValue)')"
      }
    }
    return """
      SELECT count(*), max(last_seen_at), \(counts.joined(separator: ", "))
      FROM installation WHERE app_id = $1 AND user_id = $2
      """
  }()
  package let user: UserKey

  package init(user: UserKey) {
    self.user = user
  }

  package func bind(to parameters: inout Parameters) { parameters.append(user) }

  package static func decode(_ row: inout RowReader) throws(PostgresError) -> UserSummary {
    let installations: Int64 = try row.next()
    let lastSeenAt: Timestamp? = try row.nextOptional()
    var tokens: [UserSummary.Tokens] = []
    for kind in CredentialKind.withColumns {
      var statuses: [(status: CredentialStatus, count: Int64)] = []
      for status in CredentialStatus.allCases {
        statuses.append((status: status, count: try row.next()))
      }
      tokens.append((kind: kind, statuses: statuses))
    }
    return UserSummary(installations: installations, lastSeenAt: lastSeenAt, tokens: tokens)
  }
}
