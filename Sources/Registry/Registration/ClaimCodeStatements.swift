internal import FoundationEssentials
package import Postgres

/// Keeps the code of an installation; an earlier one is good no more.
package struct StoreClaimCode: Statement {
  package static let sql = """
    INSERT INTO claim_code (app_id, installation_id, hash, made_at) VALUES ($1, $2, $3, $4)
    ON CONFLICT (app_id, installation_id) DO UPDATE
    SET hash = excluded.hash, made_at = excluded.made_at
    """
  package let key: InstallationKey
  package let code: ClaimCode

  package init(key: InstallationKey, code: ClaimCode) {
    self.key = key
    self.code = code
  }

  package func bind(to parameters: inout Parameters) {
    parameters.append(key.appID)
    parameters.append(key.id.uuid)
    parameters.append(Bytea(code.hash))
    parameters.append(code.madeAt)
  }
}

/// The code of an installation.
package struct LoadClaimCode: Statement {
  package static let sql = """
    SELECT hash, made_at FROM claim_code WHERE app_id = $1 AND installation_id = $2
    """
  package let key: InstallationKey

  package init(key: InstallationKey) {
    self.key = key
  }

  package func bind(to parameters: inout Parameters) {
    parameters.append(key.appID)
    parameters.append(key.id.uuid)
  }

  package static func decode(_ row: inout RowReader) throws(PostgresError) -> ClaimCode {
    ClaimCode(hash: try row.next(Bytea.self).bytes, madeAt: try row.next())
  }
}
