internal import Crypto
internal import FoundationEssentials
internal import HTTP
internal import JSON
internal import Postgres
internal import Registry

/// Root keys beside the configured one: made, listed and revoked by root alone.
enum RootKeys {
  static let endpoints: [Endpoint] = [
    Endpoint(
      .post, "/v1/keys", "createRootKey", .root,
      body: .json(limit: Limits.administrationBodyBytes),
      decode: { request in try request.decodeBody(NewRootKey.self).body },
      perform: { new, call in
        try await call.makeKey(.root, id: new.id, label: new.label, appID: nil)
      },
      encode: { $0.answer(to: $1) }),
    .list(
      "/v1/keys", "listRootKeys", .root, view: KeyView.init,
      position: { TimeCursor(time: $0.createdAt, id: $0.id) }
    ) { _, _, span in
      .listKeys(appID: nil, after: span.after ?? .start, limit: span.limit)
    },
    Keys.reading("/v1/keys/{key_id}", "getRootKey", .root) { _ in nil },
    .deletion(
      "/v1/keys/{key_id}", "revokeRootKey", .root, key: { try $0.keyID() },
      perform: { revocation, call in
        try await call.changeDirectory { transaction in
          transaction.add(.lockKeys())
          let keys = try await transaction.run(.listKeys(appID: nil, after: .start, limit: nil))
          try check(revocation.key, among: keys)
          try revocation.endTrial(["keys": 1])
          transaction.add(.revokeKey(revocation.key, appID: nil, now: call.now))
        }
      }),
  ]

  /// Throws if the key may not be revoked: one root key must stay in use.
  static func check(_ id: UUID, among keys: [KeyRecord]) throws(Problem) {
    guard keys.contains(where: { $0.id == id }) else { throw .keyNotFound }
    guard keys.contains(where: { $0.id != id && $0.revokedAt == nil }) else {
      throw Problem(
        .lastRootKey,
        "It is the last root key in use: make another one first, or start the service with another "
          + "POSTILION_ROOT_KEY.")
    }
  }
}

/// The body of `POST /v1/keys`: without a label nobody knows later which one to revoke.
struct NewRootKey: RequestBody {
  static var policy: FieldPolicy { .strict }

  var id: UUID?
  var label: String

  init?(reading fields: FieldReader) {
    id = fields.uuid("id").value
    let label = fields.required(
      fields.text("label", maximum: Limits.labelBytes, minimum: 1), "label")
    guard let label else { return nil }
    self.label = label
  }
}
