internal import DeviceProfile
internal import FoundationEssentials
internal import JSON
package import Postgres

/// How an app claims an installation that a backend or an import made and that has no secret yet:
/// its first report brings the secret, and has to prove that the app is on the device.
///
/// The name alone proves nothing: it stands in exports and in the logs of backends, and the client
/// key is in every copy of the app. A proof is
///
/// 1. a token that is stored for the installation, in the environment of the report: only the
///    device and the backend know it;
/// 2. or the code that the backend made for the installation, until it expires. It is good once, as
///    there is a secret afterwards. It is of no use for an installation that was made after it.
///
/// | stored | the report brings | |
/// |---|---|---|
/// | a token | this token | proven |
/// | a token | another token, or this one of the other environment | not proven |
/// | no token | any token | not proven |
/// | anything | the code, within a day | proven |
package struct InstallationClaim: Sendable {
  /// SHA-256 of the code that the report brings; `nil` when it brings none.
  package var offeredHash: [UInt8]?
  /// The latest code that the backend made, if there is one.
  package var code: ClaimCode?

  package init(offeredHash: [UInt8]? = nil, code: ClaimCode? = nil) {
    self.offeredHash = offeredHash
    self.code = code
  }

  /// Whether the report comes from the app on the device.
  package func isProven(
    of stored: Installation, by report: RegistrationReport, at now: Timestamp
  ) -> Bool {
    let isEnvironment = report.environment ?? stored.environment == stored.environment
    let bringsToken = report.credentials.brought.contains { place, reported in
      reported.token == stored.credentials[place]?.token
    }
    if isEnvironment && bringsToken { return true }
    guard let offeredHash, let code else { return false }
    return code.hash == offeredHash && now < code.expiresAt && stored.createdAt <= code.madeAt
  }
}

/// A code by which an app makes an installation its own.
package struct ClaimCode: Sendable, Equatable {
  /// SHA-256 of the code; the code itself is nowhere.
  package var hash: [UInt8]
  package var madeAt: Timestamp

  package init(hash: [UInt8], madeAt: Timestamp) {
    self.hash = hash
    self.madeAt = madeAt
  }

  package var expiresAt: Timestamp { madeAt.advanced(by: RegistryLimits.claimCodeLifetime) }
}

extension Command where Self == Query<Void> {
  /// Keeps the code of an installation; an earlier code is good no more.
  package static func storeClaimCode(key: InstallationKey, code: ClaimCode) -> Self {
    Query(
      """
      INSERT INTO claim_code (app_id, installation_id, hash, made_at) VALUES (\(key.appID),
        \(key.id.uuid), \(Bytea(code.hash)), \(code.madeAt))
      ON CONFLICT (app_id, installation_id) DO UPDATE
      SET hash = excluded.hash, made_at = excluded.made_at
      """)
  }
}

extension Command where Self == Query<ClaimCode> {
  package static func loadClaimCode(key: InstallationKey) -> Self {
    Query(
      """
      SELECT hash, made_at FROM claim_code WHERE app_id = \(key.appID)
        AND installation_id = \(key.id.uuid)
      """
    ) { row in ClaimCode(hash: try row.next(Bytea.self).bytes, madeAt: try row.next()) }
  }
}
