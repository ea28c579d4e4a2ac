internal import Crypto
internal import FoundationEssentials
internal import HTTP
internal import JSON
internal import Postgres
internal import Registry

/// API keys of an app: made here, shown once, listed without their secret, revoked for good.
enum Keys {
  static let endpoints: [Endpoint] = [
    Endpoint(
      .post, "/v1/apps/{app}/keys", "createKey", .admin,
      body: .json(limit: Limits.administrationBodyBytes),
      decode: { request in try request.decodeBody(NewKey.self).body },
      perform: { new, call in
        try await call.makeKey(new.kind, label: new.label, appID: call.app.id)
      },
      encode: { $0.answer(to: $1) }),
    .list(
      "/v1/apps/{app}/keys", "listKeys", .admin, view: KeyView.init,
      position: { TimeCursor(time: $0.createdAt, id: $0.id) }
    ) { request, _, span in
      .listKeys(appID: request.app.id, after: span.after ?? .start, limit: span.limit)
    },
    .deletion(
      "/v1/apps/{app}/keys/{key_id}", "revokeKey", .admin,
      key: { request in
        guard let id = UUID(text: try request.parameter("key_id")) else {
          throw Problem(.keyNotFound, "The app has no key of that id.")
        }
        return id
      },
      perform: { revocation, call in
        try await call.changeDirectory { transaction in
          let revoked = try await transaction.run(
            .revokeKey(revocation.key, appID: call.app.id, now: call.now))
          guard !revoked.isEmpty else {
            throw Problem(.keyNotFound, "The app has no key of that id.")
          }
          try revocation.endTrial(["keys": 1])
        }
      }),
  ]
}

/// The answer with a new key, which its creator sees once.
struct CreatedKey: JSONWritable, Sendable {
  let id: String
  let kind: APIKeyKind
  let label: String
  let key: String

  func write(to writer: inout JSONWriter) {
    writer.object { writer in
      writer.member("id", id)
      writer.member("key", key)
      writer.member("kind", kind.rawValue)
      writer.member("label", label)
    }
  }

  /// The answer, which no cache may keep.
  func answer(to request: Request) -> Response {
    .json(self, .created).located(at: "\(request.head.path)/\(id)").unstored()
  }
}

extension Call {
  /// Makes a key and stores its hash, unless the app or root has the maximum number of keys.
  /// - Parameter appID: The app of the key; `nil` for a root key.
  func makeKey(_ kind: APIKeyKind, label: String, appID: Int32?) async throws -> CreatedKey {
    let random = context.shared.randomBytes
    let key = APIKey(kind: kind, randomBytes: random(24))
    let record = KeyRecord(
      id: UUID(randomBytes: random(16)), appID: appID, kind: kind, label: label,
      createdAt: request.now)
    _ = try await changeDirectory { transaction in
      transaction.add(.lockKeys())
      transaction.add(.forgetRevokedKeys(appID: appID))
      let count: Int64 = try await transaction.run(.countKeys(appID: appID)).first ?? 0
      guard count < Limits.keys else {
        let owner = appID == nil ? "There are" : "An app has"
        throw InputFailure(
          .tooMany, at: "",
          "\(owner) at most \(Limits.keys) keys\(appID == nil ? " of root" : "") in use. Revoke "
            + "one that nobody needs, and try again.")
      }
      transaction.add(.insertKey(key: record, hash: SHA256.hash(key.text)))
    }
    return CreatedKey(
      id: record.id.text, kind: kind, label: label, key: key.text)
  }
}

/// The body of `POST …/keys`.
struct NewKey: RequestBody {
  static var policy: FieldPolicy { .strict }

  var kind: APIKeyKind
  var label: String

  init?(reading fields: FieldReader) {
    let kind = fields.required(fields.word("kind", of: APIKeyKind.self), "kind")
    label = fields.text("label", maximum: Limits.labelBytes).value ?? ""
    guard let kind else { return nil }
    if kind == .root {
      fields.refuse(.unknownValue, at: "kind", "A key of an app is client, sender or admin.")
    }
    self.kind = kind
  }
}

/// A key as the list shows it.
struct KeyView: ListItem {
  let key: KeyRecord

  static let fields = ItemFields<Self>([
    .text("id") { $0.key.id.text },
    .text("kind") { $0.key.kind.rawValue },
    .text("label") { $0.key.label },
    .text("created_at") { $0.key.createdAt.rfc3339 },
    .text("revoked_at") { $0.key.revokedAt?.rfc3339 },
    .text("last_used_at") { $0.key.lastUsedAt?.rfc3339 },
  ])
}

extension APIKey {
  init(kind: APIKeyKind, randomBytes: [UInt8]) {
    self.init(kind: kind, random: Base64URL.encode(randomBytes))
  }
}
