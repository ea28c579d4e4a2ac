internal import FoundationEssentials
package import Postgres

/// Sets the language of a person.
package struct ChooseLanguage: Statement {
  package static let sql = """
    INSERT INTO user_language (app_id, user_id, language, updated_at) VALUES ($1, $2, $3, $4)
    ON CONFLICT (app_id, user_id) DO UPDATE
    SET language = excluded.language, updated_at = excluded.updated_at
    """
  package let user: UserKey
  package let language: String
  package let now: Timestamp

  package init(user: UserKey, language: String, now: Timestamp) {
    self.user = user
    self.language = language
    self.now = now
  }

  package func bind(to parameters: inout Parameters) {
    parameters.append(user)
    parameters.append(language, now)
  }
}

/// Leaves the language of a person to the devices.
package struct ForgetLanguage: Statement {
  package static let sql = "DELETE FROM user_language WHERE app_id = $1 AND user_id = $2"
  package let user: UserKey

  package init(user: UserKey) {
    self.user = user
  }

  package func bind(to parameters: inout Parameters) { parameters.append(user) }
}

/// How many installations a person is logged in on.
package struct CountUserInstallations: Statement {
  package typealias Row = Int64
  package static let sql = "SELECT count(*) FROM installation WHERE app_id = $1 AND user_id = $2"
  package let user: UserKey

  package init(user: UserKey) {
    self.user = user
  }

  package func bind(to parameters: inout Parameters) { parameters.append(user) }
}

// MARK: Erasure

/// Some of a person's installations. Whoever deletes them asks again until there are none.
struct FindUserInstallations: Statement {
  static let sql = """
    SELECT installation_id FROM installation WHERE app_id = $1 AND user_id = $2 LIMIT $3
    """
  let user: UserKey

  func bind(to parameters: inout Parameters) {
    parameters.append(user)
    parameters.append(Int64(RegistryLimits.userPortion))
  }

  static func decode(_ row: inout RowReader) throws(PostgresError) -> InstallationID {
    InstallationID(try row.next())
  }
}

/// Installations that are erased together.
struct UserPortion: Sendable {
  var appID: Int32
  var ids: [InstallationID]
}

/// Takes the names of installations out of the history of those that got their tokens.
struct ForgetOrigins: Statement {
  static let sql = """
    UPDATE token_history SET from_installation_id = NULL
    WHERE app_id = $1 AND from_installation_id = ANY ($2)
    """
  let portion: UserPortion

  func bind(to parameters: inout Parameters) { parameters.append(portion) }
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

/// Erases what happened to the tokens of installations; returns these, all that they ever had, and
/// how many events each had. What is erased of the ledger follows from it, so nothing can happen
/// in between that only one of the two knows. Events of the erasure itself are not counted.
struct EraseHistory: Statement {
  static let sql = """
    WITH erased AS (
      DELETE FROM token_history WHERE app_id = $1 AND installation_id = ANY ($2)
      RETURNING app_id, environment, kind, token, reason
    )
    SELECT app_id, environment, kind, token, count(*) FILTER (WHERE reason IS DISTINCT FROM $3)
    FROM erased GROUP BY app_id, environment, kind, token
    """
  let portion: UserPortion

  func bind(to parameters: inout Parameters) {
    parameters.append(portion)
    parameters.append(TokenEvent.Cause.erasure)
  }

  static func decode(
    _ row: inout RowReader
  ) throws(PostgresError) -> (token: OwnedToken, events: Int64) {
    (try OwnedToken(row: &row), try row.next())
  }
}

/// Empties the app's memory of refused tokens, which holds those of a minute: theirs may be there.
struct ForgetRefusedTokens: Statement {
  static let sql = "UPDATE feedback_breaker SET refused = '{}', refused_at = '{}' WHERE app_id = $1"
  let appID: Int32

  func bind(to parameters: inout Parameters) { parameters.append(appID) }
}

/// Erases the codes by which apps make installations their own.
struct EraseClaimCodes: Statement {
  static let sql = "DELETE FROM claim_code WHERE app_id = $1 AND installation_id = ANY ($2)"
  let portion: UserPortion

  func bind(to parameters: inout Parameters) { parameters.append(portion) }
}

/// Erases what else happened to installations. Their end, which comes last, is told afterwards.
struct EraseInstallationEvents: Statement {
  static let sql = "DELETE FROM app_history WHERE app_id = $1 AND installation_id = ANY ($2)"
  let portion: UserPortion

  func bind(to parameters: inout Parameters) { parameters.append(portion) }
}

/// Erases what webhooks were told of installations, or are yet to be told, but for their erasure.
struct EraseDeliveries: Statement {
  static let sql = """
    DELETE FROM webhook_delivery
    WHERE app_id = $1 AND (installation_id = ANY ($2) OR from_installation_id = ANY ($2))
      AND event <> 'erased'
    """
  let portion: UserPortion

  func bind(to parameters: inout Parameters) { parameters.append(portion) }
}

/// Erases the failures that installations reported.
struct EraseFailures: Statement {
  typealias Row = Int64
  static let sql = """
    WITH erased AS (
      DELETE FROM registration_failure WHERE app_id = $1 AND installation_id = ANY ($2)
      RETURNING app_id
    )
    SELECT count(*) FROM erased
    """
  let portion: UserPortion

  func bind(to parameters: inout Parameters) { parameters.append(portion) }
}

extension Parameters {
  /// Appends the app and the installations.
  fileprivate mutating func append(_ portion: UserPortion) {
    append(portion.appID)
    append(portion.ids.map(\.uuid))
  }
}
