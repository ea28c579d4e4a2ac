package import ASCII
package import DeviceProfile
internal import Postgres

/// Which tokens of a device get a push.
package struct CredentialTarget: Hashable, Sendable {
  package var kind: CredentialKind
  /// Only the tokens below these names; empty for all tokens of the kind.
  @Spelled package var names: [String]
  /// Only Live Activities of this attributes type.
  @Spelled package var type: String?
  /// Only this token.
  package var token: DeviceToken?
  /// Whether the push ends Live Activities. It also goes to activities for which an `end` was
  /// rendered before: that push may have been lost on its way.
  package var isEnd: Bool

  package init(
    _ kind: CredentialKind, _ names: [String] = [], type: String? = nil,
    token: DeviceToken? = nil, isEnd: Bool = false
  ) {
    self.kind = kind
    self.names = names
    self.type = type
    self.token = token
    self.isEnd = isEnd
  }

  /// Whether a device has one token of this target at most.
  package var isOne: Bool { names.count == kind.nameCount }

  package var hasColumns: Bool { kind.hasColumns }

  /// The columns that have its tokens, of rows of `installation` and ``join``.
  var columns: TokenColumns { hasColumns ? .row : .others }

  /// The SQL in a FROM behind `installation` and a row with `is_voip`. It gives a row for each
  /// token in the column of the other credentials, and a row without a token where there is none.
  /// The column is read as JSON only where it names the kind: to read it takes ten times as long as
  /// to look for the name.
  var join: SQL {
    if hasColumns { return "" }
    let lifetime = RegistryLimits.activityLifetime.components.seconds
    let hour = RegistryLimits.activityStartsWindow.components.seconds
    return """
      LEFT JOIN LATERAL (
        SELECT decode(c.token, 'hex') AS other_token,
          c.environment = 'sandbox' AS other_is_sandbox,
          CASE WHEN c.reason = '\(constant: Credential.endReason)' THEN
              '\(constant: (isEnd ? TokenUsability.active : .ended).rawValue)'
            WHEN c.status <> 'active' THEN c.status
            WHEN c.joined IS FALSE THEN '\(constant: TokenUsability.notJoined.rawValue)'
            WHEN c.kind = '\(constant: CredentialKind.liveActivities.rawValue)'
              AND coalesce(c.began_at, c.registered_at)
                < (extract(epoch FROM now()) - \(constant: lifetime)) * 1000
              THEN '\(constant: TokenUsability.ended.rawValue)'
            WHEN c.kind = '\(constant: CredentialKind.liveActivityStart.rawValue)' AND (
                SELECT count(*) >= \(constant: RegistryLimits.activityStarts - 1)
                FROM json_to_recordset(other_credentials::json)
                  AS started (kind text, registered_at int8, began_at int8)
                WHERE started.kind = '\(constant: CredentialKind.liveActivities.rawValue)'
                  AND coalesce(started.began_at, started.registered_at)
                    > (extract(epoch FROM now()) - \(constant: hour)) * 1000)
              THEN '\(constant: TokenUsability.startsOften.rawValue)'
            ELSE c.status END AS other_usability
        FROM json_to_recordset(
            CASE WHEN strpos(other_credentials, \("\"kind\":\"\(kind.rawValue)\"")) > 0
              THEN other_credentials::json END
          ) AS c (kind text, names text[], token text, status text, environment text,
            registered_at int8, began_at int8, type text, joined bool, reason text)
        WHERE c.kind = \(kind.rawValue)
          AND c.names[1:\(Int32(names.count))] = \(names)
          AND (\(type)::text IS NULL OR c.type = \(type))
          AND (\(token?.hex)::text IS NULL OR c.token = \(token?.hex))
      ) AS other ON NOT is_voip
      """
  }
}

/// Where a statement finds tokens, as SQL.
struct TokenColumns {
  let token: String
  let isSandbox: String
  /// A word of ``TokenUsability``.
  let usability: String

  /// In the columns of the row; `is_voip` says whether the tokens for calls are meant.
  static let row = Self(
    token: "CASE WHEN is_voip THEN voip_token ELSE apns_token END",
    isSandbox: "environment = 'sandbox'",
    usability: "CASE WHEN is_voip THEN voip_status ELSE apns_status END")

  /// In ``CredentialTarget/join``.
  static let others = Self(
    token: "other_token", isSandbox: "coalesce(other_is_sandbox, environment = 'sandbox')",
    usability: "other_usability")
}

/// Whether a token can be sent to.
package enum TokenUsability: String, Sendable, CaseIterable {
  case active
  case quarantined
  case invalid
  /// It can be used, but many Live Activities of the device began of late.
  case startsOften = "starts_often"
  /// Its Live Activity is over, by its age or by an `end` that was rendered.
  case ended
  /// The person takes part in no channel of Push to Talk.
  case notJoined = "not_joined"
}

extension TokenUsability: ProfileValue {}
