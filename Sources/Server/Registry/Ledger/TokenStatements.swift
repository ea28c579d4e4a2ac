internal import DeviceProfile
internal import FoundationEssentials
package import Postgres

/// A token within all apps, as `token_owner` keys it.
package struct OwnedToken: Hashable, Sendable {
  package var appID: Int32
  package var key: TokenKey

  package init(appID: Int32, key: TokenKey) {
    self.appID = appID
    self.key = key
  }
}

/// The owners of tokens; tokens of no one are left out.
package struct LoadTokenOwners: Statement {
  package static let sql = """
    SELECT t.app_id, t.environment, t.kind, t.token, t.installation_id, t.takeovers,
      t.takeovers_since, t.former_owners, t.former_until
    FROM unnest($1::int4[], $2::text[], $3::text[], $4::bytea[])
      AS x (app_id, environment, kind, token)
    JOIN token_owner AS t USING (app_id, environment, kind, token)
    WHERE t.app_id = ANY ($5) AND t.installation_id IS NOT NULL
    """
  package let tokens: [OwnedToken]

  package init(tokens: [OwnedToken]) {
    self.tokens = tokens
  }

  package func bind(to parameters: inout Parameters) {
    parameters.append(tokens)
    parameters.append(apps: tokens.map(\.appID))
  }

  package static func decode(
    _ row: inout RowReader
  ) throws(PostgresError) -> (token: OwnedToken, owner: TokenOwner) {
    let token = try OwnedToken(row: &row)
    let id = try row.next(InstallationID.self)
    var takeovers = Takeovers(
      count: try row.next(Int16?.self) ?? 0, since: try row.next())
    var (ids, times) = (
      try row.next([UUID]?.self) ?? [], try row.next([Timestamp]?.self) ?? []
    )
    // If a list has a null, nobody knows which time belongs to which owner.
    if ids.count != times.count { ids.removeAll() }
    takeovers.formerOwners = zip(ids, times).map {
      FormerOwner(id: InstallationID($0), until: $1)
    }
    return (token, TokenOwner(id: id, takeovers: takeovers))
  }
}

/// A token that changes hands.
package struct LedgerEntry: Hashable, Sendable {
  package var token: OwnedToken
  /// The new owner; `nil` gives the token up.
  package var owner: InstallationID?
  var previousOwner: InstallationID?
  /// How it changed hands so far; `nil` leaves that as it is.
  package var takeovers: Takeovers?
  package var registeredAt: Timestamp

  /// The owner once the entry is written.
  package var nextOwner: TokenOwner? {
    owner.map { TokenOwner(id: $0, takeovers: takeovers ?? Takeovers()) }
  }
}

/// Makes tokens belong to installations, or to no one. A token is taken from its previous owner, or
/// from no one. If that has changed by now, and the new owner does not have it, it is left alone
/// and not returned. Example: B takes the token of A, but A has given it up meanwhile, or C has it.
/// The token of an installation that is gone belongs to no one. No token may occur twice in a
/// batch.
package struct WriteLedger: Statement {
  package typealias Row = OwnedToken
  package static let sql = """
    INSERT INTO token_owner AS t (app_id, environment, kind, token, installation_id,
      registered_at, moved_from, takeovers, takeovers_since, former_owners, former_until)
    SELECT app_id, environment, kind, token, installation_id, registered_at, moved_from, takeovers,
      takeovers_since, former_owners::uuid[], former_until::timestamptz[]
    FROM unnest(
        $1::int4[], $2::text[], $3::text[], $4::bytea[], $5::uuid[], $6::timestamptz[],
        $7::uuid[], $8::int2[], $9::timestamptz[], $10::text[], $11::text[])
      AS x (app_id, environment, kind, token, installation_id, registered_at, moved_from,
        takeovers, takeovers_since, former_owners, former_until)
    ORDER BY app_id, environment, kind, token
    ON CONFLICT (app_id, environment, kind, token) DO UPDATE
    SET installation_id = excluded.installation_id, registered_at = excluded.registered_at,
      moved_from = excluded.moved_from,
      takeovers = coalesce(excluded.takeovers, t.takeovers),
      takeovers_since = coalesce(excluded.takeovers_since, t.takeovers_since),
      former_owners = CASE WHEN excluded.takeovers IS NULL THEN t.former_owners
        ELSE excluded.former_owners END,
      former_until = CASE WHEN excluded.takeovers IS NULL THEN t.former_until
        ELSE excluded.former_until END
    WHERE t.installation_id IS NOT DISTINCT FROM excluded.moved_from
      OR t.installation_id IS NOT DISTINCT FROM excluded.installation_id
      OR is_gone(t.app_id, t.installation_id)
    RETURNING app_id, environment, kind, token
    """
  package let entries: [LedgerEntry]

  package func bind(to parameters: inout Parameters) {
    parameters.append(entries.map(\.token))
    parameters.append(column: entries.map(\.owner?.uuid))
    parameters.append(column: entries.map(\.registeredAt))
    parameters.append(column: entries.map(\.previousOwner?.uuid))
    parameters.append(column: entries.map(\.takeovers?.count))
    parameters.append(column: entries.map(\.takeovers?.since))
    parameters.append(column: entries.map { Self.literal($0) { $0.id.text } })
    parameters.append(column: entries.map { Self.literal($0) { $0.until.rfc3339 } })
  }

  /// One column of the former owners, `nil` when there are none.
  static func literal(
    _ entry: LedgerEntry, _ text: (FormerOwner) -> String
  ) -> String? {
    guard let owners = entry.takeovers?.formerOwners, !owners.isEmpty else { return nil }
    return arrayLiteral(owners.map(text))
  }
}

/// The text form of a `text[]` (PostgreSQL manual, 8.15.2), every element quoted.
///
/// `["a\"b", ""]` → `{"a\"b",""}`
func arrayLiteral(_ texts: [String]) -> String {
  // In one piece of memory: each byte may need an escape.
  let capacity = texts.reduce(2) { $0 + $1.utf8.count * 2 + 3 }
  return String(unsafeUninitializedCapacity: capacity) { buffer in
    var count = 0
    func append(_ byte: UInt8) {
      buffer.initializeElement(at: count, to: byte)
      count += 1
    }
    append(UInt8(ascii: "{"))
    for var text in texts {
      if count > 1 { append(UInt8(ascii: ",")) }
      append(UInt8(ascii: "\""))
      text.withUTF8 { bytes in
        for byte in bytes {
          if needsEscape(byte) { append(UInt8(ascii: "\\")) }
          append(byte)
        }
      }
      append(UInt8(ascii: "\""))
    }
    append(UInt8(ascii: "}"))
    return count
  }
}

private func needsEscape(_ byte: UInt8) -> Bool {
  byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
}

extension Command where Self == Query<InstallationID> {
  /// The owners of tokens that begin with given digits, in every environment and of every kind: the
  /// first step of a search by token.
  package static func findTokenOwners(appID: Int32, prefix: TokenPrefix) -> Self {
    Query(
      """
      SELECT installation_id FROM token_owner
      WHERE app_id = \(appID)
        AND environment = ANY (\(Environment.allCases.map(\.rawValue)))
        AND kind = ANY (\(CredentialKind.allCases.map(\.rawValue)))
        AND token BETWEEN \(Bytea(prefix.lowerBound)) AND \(Bytea(prefix.upperBound))
          AND installation_id IS NOT NULL
      LIMIT \(Int64(RegistryLimits.pageMaximum))
      """)
  }
}

extension Parameters {
  /// Appends the four columns of a batch of token keys.
  package mutating func append(_ tokens: [OwnedToken]) {
    append(column: tokens.map(\.appID))
    append(column: tokens.map(\.key.environment.rawValue))
    append(column: tokens.map(\.key.kind.rawValue))
    append(column: tokens.map { Bytea($0.key.token.bytes) })
  }
}

extension OwnedToken: RowDecodable {
  /// Reads `app_id, environment, kind, token`.
  package init(row: inout RowReader) throws(PostgresError) {
    appID = try row.next()
    key = try TokenKey(row: &row)
  }
}

extension TokenKey: RowDecodable {
  /// Reads `environment, kind, token`.
  package init(row: inout RowReader) throws(PostgresError) {
    let environment: Environment = try row.next()
    let kind: CredentialKind = try row.next()
    guard let token = DeviceToken(bytes: try row.next(Bytea.self).bytes) else {
      throw PostgresError(.decoding, "a stored token is outside the bounds")
    }
    self.init(environment: environment, kind: kind, token: token)
  }
}
