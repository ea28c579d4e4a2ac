package import ASCII
package import DeviceProfile
internal import Postgres

/// Which tokens of a device get a push.
package struct CredentialTarget: Hashable, Sendable {
  package var kind: CredentialKind
  /// Those below these names; empty for all of the kind.
  @Spelled package var names: [String]
  /// Only Live Activities of this attributes type.
  @Spelled package var type: String?
  /// Only this token.
  package var token: DeviceToken?
  /// Whether the push ends Live Activities. It also goes to those for which an `end` was rendered
  /// before: that one may have been lost on its way.
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

  /// Whether a device has one token of it at most.
  package var isOne: Bool { names.count == kind.nameCount }

  package var hasColumns: Bool { kind.hasColumns }

  /// Binds the placeholders of ``TokenColumns/others(isVoIP:from:)``; nothing for a kind with
  /// columns.
  func bind(to parameters: inout Parameters) {
    if !hasColumns { parameters.append(kind.rawValue, names, type, token?.hex, isEnd) }
  }
}

/// Where a statement finds tokens.
struct TokenColumns {
  let token: String
  let isSandbox: String
  /// A word of ``TokenUsability``.
  let usability: String
  /// What stands behind `installation` in its FROM.
  let join: String

  /// The columns of the row.
  /// - Parameter isVoIP: Whether the tokens for calls are meant, as SQL.
  static func row(isVoIP: String) -> Self {
    Self(
      token: "CASE WHEN \(isVoIP) THEN voip_token ELSE apns_token END",
      isSandbox: "environment = 'sandbox'",
      usability: "CASE WHEN \(isVoIP) THEN voip_status ELSE apns_status END", join: "")
  }

  /// The number of placeholders of ``others(isVoIP:from:)``.
  static let placeholderCount = 5

  /// A row for each token in the column of the others, and one without a token where there is none.
  /// The column is read as JSON only where it names the kind: to read it takes ten times as long as
  /// to look.
  /// - Parameters:
  ///   - isVoIP: What ``row(isVoIP:)`` gets, and what is false here.
  ///   - number: That of the first placeholder; ``CredentialTarget/bind(to:)`` binds them.
  static func others(isVoIP: String, from number: Int) -> Self {
    let lifetime = RegistryLimits.activityLifetime.components.seconds
    let hour = RegistryLimits.activityStartsWindow.components.seconds
    return Self(
      token: "other_token", isSandbox: "coalesce(other_is_sandbox, environment = 'sandbox')",
      usability: "other_usability",
      join: """

        LEFT JOIN LATERAL (
          SELECT decode(c.token, 'hex') AS other_token,
            c.environment = 'sandbox' AS other_is_sandbox,
            CASE WHEN c.reason = '\(Credential.endReason)' THEN
                CASE WHEN $\(number + 4)::bool THEN '\(TokenUsability.active.rawValue)'
                  ELSE '\(TokenUsability.ended.rawValue)' END
              WHEN c.status <> 'active' THEN c.status
              WHEN c.joined IS FALSE THEN '\(TokenUsability.notJoined.rawValue)'
              WHEN c.kind = '\(CredentialKind.liveActivities.rawValue)'
                AND coalesce(c.began_at, c.registered_at)
                  < (extract(epoch FROM now()) - \(lifetime)) * 1000
                THEN '\(TokenUsability.ended.rawValue)'
              WHEN c.kind = '\(CredentialKind.liveActivityStart.rawValue)' AND (
                  SELECT count(*) >= \(RegistryLimits.activityStarts - 1)
                  FROM json_to_recordset(other_credentials::json)
                    AS started (kind text, registered_at int8, began_at int8)
                  WHERE started.kind = '\(CredentialKind.liveActivities.rawValue)'
                    AND coalesce(started.began_at, started.registered_at)
                      > (extract(epoch FROM now()) - \(hour)) * 1000)
                THEN '\(TokenUsability.startsOften.rawValue)'
              ELSE c.status END AS other_usability
          FROM json_to_recordset(
              CASE WHEN strpos(other_credentials, '"kind":"' || $\(number)::text || '"') > 0
                THEN other_credentials::json END
            ) AS c (kind text, names text[], token text, status text, environment text,
              registered_at int8, began_at int8, type text, joined bool, reason text)
          WHERE c.kind = $\(number)::text
            AND c.names[1:cardinality($\(number + 1)::text[])] = $\(number + 1)::text[]
            AND ($\(number + 2)::text IS NULL OR c.type = $\(number + 2))
            AND ($\(number + 3)::text IS NULL OR c.token = $\(number + 3))
        ) AS other ON NOT \(isVoIP)
        """)
  }
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
