internal import DeviceProfile
internal import JSON
package import Postgres

/// How an app makes an installation its own that a backend or an import made, and that has no
/// secret yet: its first report brings the secret, and has to prove that the app is on the device.
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

  /// When it ends.
  package var expiresAt: Timestamp { madeAt.advanced(by: RegistryLimits.claimCodeLifetime) }
}
