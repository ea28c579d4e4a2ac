internal import Crypto
internal import HTTP
internal import JSON
internal import Postgres
internal import Registry

/// Codes by which an app claims an installation that its backend made. A code is made here and
/// shown once; the backend hands it to the app.
enum ClaimCodes {
  static let endpoint = Endpoint(
    .post, "/v1/apps/{app}/installations/{installation_id}/claim-code", "createClaimCode",
    .backends,
    decode: { request in try request.installationID() },
    perform: make,
    encode: { code, _ in Response.json(code, .created).unstored() })

  private static func make(_ id: InstallationID, _ call: Call) async throws -> CreatedClaimCode {
    let stored = try call.found(try await call.context.registrar.load(appID: call.app.id, id: id))
    guard stored.secretHash == nil else {
      throw Problem(
        .installationClaimed,
        "The installation has a secret already. An app that has lost it makes a new installation.")
    }
    let text = Base64URL.encode(call.context.shared.randomBytes(24))
    // A code is for the installation that is there, also if the clock is behind its creation.
    let now = max(call.now.wholeMilliseconds, stored.createdAt)
    let code = ClaimCode(hash: SHA256.hash(text), madeAt: now)
    let key = InstallationKey(appID: call.app.id, id: id)
    _ = try await call.context.database.write(.storeClaimCode(key: key, code: code))
    return CreatedClaimCode(text: text, expiresAt: code.expiresAt)
  }
}

/// The answer with a new code, which the backend sees once.
struct CreatedClaimCode: JSONWritable, Sendable {
  let text: String
  let expiresAt: Timestamp

  func write(to writer: inout JSONWriter) {
    writer.object { writer in
      writer.member("claim_code", text)
      writer.member("expires_at", expiresAt.rfc3339)
    }
  }
}

extension Call {
  /// The claim by which an app's report makes an installation its own.
  func claim(of id: InstallationID) async throws -> InstallationClaim {
    guard request.key?.kind == .client, let text = request.head.header("postilion-claim-code")
    else { return InstallationClaim() }
    let key = InstallationKey(appID: request.app.id, id: id)
    return InstallationClaim(
      offeredHash: SHA256.hash(text),
      code: try await context.database.read(.loadClaimCode(key: key)).first)
  }
}
