internal import Crypto
internal import HTTP
internal import JSON
internal import Postgres
internal import Registry

/// Codes by which an app makes an installation its own that its backend made: made here, shown
/// once, handed to the app by the backend.
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
    let code = ClaimCode(hash: SHA256.hash(text), madeAt: call.now.wholeMilliseconds)
    let key = InstallationKey(appID: call.app.id, id: id)
    _ = try await call.context.database.write(StoreClaimCode(key: key, code: code))
    return CreatedClaimCode(text: text, expiresAt: code.expiresAt)
  }
}

/// What the backend sees of a code, once.
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
  /// What the report of an app brings to make an installation its own.
  func claim(of id: InstallationID) async throws -> InstallationClaim {
    guard request.key?.kind == .client, let text = request.head.header("postilion-claim-code")
    else { return InstallationClaim() }
    let key = InstallationKey(appID: request.app.id, id: id)
    return InstallationClaim(
      offeredHash: SHA256.hash(text),
      code: try await context.database.read(LoadClaimCode(key: key)).first)
  }
}
