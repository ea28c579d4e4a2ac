internal import DeviceProfile
package import Postgres

/// The installations that have a token: one in each environment at most.
package struct FindTokenHolders: Statement {
  package static let sql = """
    SELECT installation_id FROM token_owner
    WHERE app_id = $1 AND environment = ANY ($2) AND kind = $3 AND token = $4
      AND installation_id IS NOT NULL
    ORDER BY environment
    """
  package let appID: Int32
  package let kind: CredentialKind
  package let token: DeviceToken

  package init(appID: Int32, kind: CredentialKind, token: DeviceToken) {
    self.appID = appID
    self.kind = kind
    self.token = token
  }

  package func bind(to parameters: inout Parameters) {
    parameters.append(appID)
    parameters.append(Environment.allCases.map(\.rawValue))
    parameters.append(kind.rawValue)
    parameters.append(Bytea(token.bytes))
  }

  package static func decode(_ row: inout RowReader) throws(PostgresError) -> InstallationID {
    InstallationID(try row.next())
  }
}
