internal import FoundationEssentials
package import Postgres

extension Command where Self == Query<Void> {
  package static func chooseLanguage(user: UserKey, language: String, now: Timestamp) -> Self {
    Query(
      """
      INSERT INTO user_language (app_id, user_id, language, updated_at) VALUES (\(user.appID),
        \(user.id), \(language), \(now))
      ON CONFLICT (app_id, user_id) DO UPDATE
      SET language = excluded.language, updated_at = excluded.updated_at
      """)
  }

  /// Leaves the language of a person to the devices.
  package static func forgetLanguage(user: UserKey) -> Self {
    Query("DELETE FROM user_language WHERE app_id = \(user.appID) AND user_id = \(user.id)")
  }
}

extension Command where Self == Query<Int64> {
  /// How many installations a person is logged in on.
  package static func countUserInstallations(user: UserKey) -> Self {
    Query("SELECT count(*) FROM installation WHERE app_id = \(user.appID) AND user_id = \(user.id)")
  }
}

// MARK: Erasure

extension Command where Self == Query<InstallationID> {
  /// Some of a person's installations. A caller that deletes them asks again until there are none.
  static func findUserInstallations(user: UserKey) -> Self {
    Query(
      """
      SELECT installation_id FROM installation WHERE app_id = \(user.appID)
        AND user_id = \(user.id) LIMIT \(Int64(RegistryLimits.userPortion))
      """)
  }
}

/// Installations that are erased together.
struct UserPortion: Sendable {
  var appID: Int32
  var ids: [InstallationID]
}

extension Command where Self == Query<Void> {
  /// Takes the names of installations out of the history of the installations that got their
  /// tokens.
  static func forgetOrigins(portion: UserPortion) -> Self {
    Query(
      """
      UPDATE token_history SET from_installation_id = NULL
      WHERE app_id = \(portion.appID) AND from_installation_id = ANY (\(portion.ids.map(\.uuid)))
      """)
  }
}

/// Locks tokens in the order in which the registrar does, so that the two never wait for each
/// other.
struct LockTokens: Statement {
  static let sql = """
    SELECT t.app_id FROM token_owner AS t
    JOIN unnest($1::int4[], $2::text[], $3::text[], $4::bytea[])
      AS x (app_id, environment, kind, token) USING (app_id, environment, kind, token)
    WHERE t.app_id = ANY ($1)
    ORDER BY t.app_id, t.environment, t.kind, t.token
    FOR UPDATE OF t
    """
  let tokens: [OwnedToken]

  func bind(to parameters: inout Parameters) { parameters.append(tokens) }
}

/// Takes the names of installations out of the ledger, where someone else has their tokens.
struct ForgetPreviousOwners: Statement {
  static let sql = """
    UPDATE token_owner AS t
    SET moved_from = CASE WHEN t.moved_from <> ALL ($5) THEN t.moved_from END,
      former_owners = ARRAY(
        SELECT id FROM unnest(t.former_owners, t.former_until)
          WITH ORDINALITY AS f (id, until, n)
        WHERE id <> ALL ($5) ORDER BY n),
      former_until = ARRAY(
        SELECT until FROM unnest(t.former_owners, t.former_until)
          WITH ORDINALITY AS f (id, until, n)
        WHERE id <> ALL ($5) ORDER BY n)
    FROM unnest($1::int4[], $2::text[], $3::text[], $4::bytea[])
      AS x (app_id, environment, kind, token)
    WHERE t.app_id = ANY ($1) AND t.app_id = x.app_id AND t.environment = x.environment
      AND t.kind = x.kind AND t.token = x.token AND t.installation_id IS NOT NULL
      AND (t.moved_from = ANY ($5) OR t.former_owners && $5)
    """
  let tokens: [OwnedToken]
  let portion: UserPortion

  func bind(to parameters: inout Parameters) {
    parameters.append(tokens)
    parameters.append(portion.ids.map(\.uuid))
  }
}

/// Takes tokens of no one out of the ledger.
struct EraseTokens: Statement {
  typealias Row = Int64
  static let sql = """
    WITH erased AS (
      DELETE FROM token_owner AS t
      USING unnest($1::int4[], $2::text[], $3::text[], $4::bytea[])
        AS x (app_id, environment, kind, token)
      WHERE t.app_id = ANY ($1) AND t.app_id = x.app_id AND t.environment = x.environment
        AND t.kind = x.kind AND t.token = x.token AND t.installation_id IS NULL
      RETURNING t.app_id
    )
    SELECT count(*) FROM erased
    """
  let tokens: [OwnedToken]

  func bind(to parameters: inout Parameters) { parameters.append(tokens) }
}

extension Command where Self == Query<(token: OwnedToken, events: Int64)> {
  /// Erases the events of the tokens of installations. Returns all tokens that the installations
  /// ever had, and how many events each token had. The result decides what is erased of the ledger,
  /// so nothing can happen in between that only one of the two knows. Events of the erasure itself
  /// are not counted.
  static func eraseHistory(portion: UserPortion) -> Self {
    Query(
      """
      WITH erased AS (
        DELETE FROM token_history WHERE app_id = \(portion.appID)
          AND installation_id = ANY (\(portion.ids.map(\.uuid)))
        RETURNING app_id, environment, kind, token, reason
      )
      SELECT app_id, environment, kind, token,
        count(*) FILTER (WHERE reason IS DISTINCT FROM \(TokenEvent.Cause.erasure))
      FROM erased GROUP BY app_id, environment, kind, token
      """
    ) { row in (try OwnedToken(row: &row), try row.next()) }
  }
}

extension Command where Self == Query<Void> {
  /// Empties the app's memory of refused tokens, which holds the tokens of a minute: tokens of the
  /// person may be there.
  static func forgetRefusedTokens(appID: Int32) -> Self {
    Query("UPDATE feedback_breaker SET refused = '{}', refused_at = '{}' WHERE app_id = \(appID)")
  }
}

extension Command where Self == Query<Void> {
  /// Erases the codes by which apps make installations their own.
  static func eraseClaimCodes(portion: UserPortion) -> Self {
    Query(
      """
      DELETE FROM claim_code WHERE app_id = \(portion.appID)
        AND installation_id = ANY (\(portion.ids.map(\.uuid)))
      """)
  }

  /// Erases the sightings of installations that are gone.
  static func eraseSightings(portion: UserPortion) -> Self {
    Query(
      """
      \(constant: LeftOverSightings.deletion)
        AND s.app_id = \(portion.appID) AND s.installation_id = ANY (\(portion.ids.map(\.uuid)))
      """)
  }

  /// Erases the other events of installations. Their end, which comes last, is told afterwards.
  static func eraseInstallationEvents(portion: UserPortion) -> Self {
    Query(
      """
      DELETE FROM app_history WHERE app_id = \(portion.appID)
        AND installation_id = ANY (\(portion.ids.map(\.uuid)))
      """)
  }

  /// Erases the deliveries that told webhooks of installations, or are yet to tell them, except
  /// those of their erasure.
  static func eraseDeliveries(portion: UserPortion) -> Self {
    Query(
      """
      DELETE FROM webhook_delivery
      WHERE app_id = \(portion.appID) AND installation_id = ANY (\(portion.ids.map(\.uuid)))
        AND event <> 'erased'
      """)
  }

  /// Takes the names of installations out of the deliveries about the installations that got their
  /// tokens, as ``forgetOrigins(portion:)`` does in the history.
  static func forgetOriginsOfDeliveries(portion: UserPortion) -> Self {
    Query(
      """
      UPDATE webhook_delivery SET from_installation_id = NULL, body = replace(
        body, '"from_installation_id":"' || from_installation_id || '"',
        '"from_installation_id":null')
      WHERE app_id = \(portion.appID) AND from_installation_id = ANY (\(portion.ids.map(\.uuid)))
      """)
  }
}

extension Command where Self == Query<Int64> {
  /// Erases the failures that installations reported.
  static func eraseFailures(portion: UserPortion) -> Self {
    Query(
      """
      WITH erased AS (
        DELETE FROM registration_failure WHERE app_id = \(portion.appID)
          AND installation_id = ANY (\(portion.ids.map(\.uuid)))
        RETURNING app_id
      )
      SELECT count(*) FROM erased
      """)
  }
}

extension Parameters {
  /// Appends the app and the installations.
  fileprivate mutating func append(_ portion: UserPortion) {
    append(portion.appID)
    append(portion.ids.map(\.uuid))
  }
}
