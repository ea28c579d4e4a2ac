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
        try await call.makeKey(new.kind, id: new.id, label: new.label, appID: call.app.id)
      },
      encode: { $0.answer(to: $1) }),
    .list(
      "/v1/apps/{app}/keys", "listKeys", .admin, view: KeyView.init,
      position: { TimeCursor(time: $0.createdAt, id: $0.id) }
    ) { request, _, span in
      .listKeys(appID: request.app.id, after: span.after ?? .start, limit: span.limit)
    },
    reading("/v1/apps/{app}/keys/{key_id}", "getKey", .admin) { $0.app.id },
    .deletion(
      "/v1/apps/{app}/keys/{key_id}", "revokeKey", .admin, key: { try $0.keyID() },
      perform: { revocation, call in
        try await call.changeDirectory { transaction in
          let revoked = try await transaction.run(
            .revokeKey(revocation.key, appID: call.app.id, now: call.now))
          guard !revoked.isEmpty else { throw Problem.keyNotFound }
          try revocation.endTrial(["keys": 1])
        }
      }),
  ]

  /// A route that shows one key.
  /// - Parameter appID: The app of the key; `nil` for a root key.
  static func reading(
    _ pattern: String, _ operation: String, _ access: Access,
    of appID: @escaping @Sendable (Request) -> Int32?
  ) -> Endpoint {
    Endpoint(
      .get, pattern, operation, access,
      decode: { try $0.keyID() },
      perform: { id, call in
        let keys = try await call.context.database.read(
          .listKeys(appID: appID(call.request), id: id))
        guard let key = keys.first else { throw Problem.keyNotFound }
        return KeyView(key: key)
      },
      encode: { view, _ in .json(view) })
  }
}

extension Request {
  /// The key that the path names.
  func keyID() throws -> UUID {
    guard let id = UUID(text: try parameter("key_id")) else { throw Problem.keyNotFound }
    return id
  }
}

extension Problem {
  static var keyNotFound: Problem { Problem(.keyNotFound, "There is no key of that id.") }

  /// - Parameter what: What the caller makes: `key`.
  static func idTaken(by what: String) -> Problem {
    Problem(
      .idTaken, "Another \(what) has this id. To repeat a call, send the same body as before.")
  }
}

/// The answer with a new key, which its creator sees once.
struct CreatedKey: JSONWritable, Sendable {
  let id: String
  let kind: APIKeyKind
  let label: String
  let key: String
  /// Whether there was no key of this id before.
  let isNew: Bool

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
    .json(self, isNew ? .created : .ok).located(at: "\(request.head.path)/\(id)").unstored()
  }
}

extension Call {
  /// Makes a key and stores its hash, unless the app or root has the maximum number of keys. If the
  /// key of the id is there already, as after a call whose answer was lost, it gets a new secret.
  /// - Parameters:
  ///   - id: The id that the caller chose.
  ///   - appID: The app of the key; `nil` for a root key.
  func makeKey(
    _ kind: APIKeyKind, id: UUID?, label: String, appID: Int32?
  ) async throws -> CreatedKey {
    let random = context.shared.randomBytes
    let key = APIKey(kind: kind, randomBytes: random(24))
    let record = KeyRecord(
      id: id ?? UUID(randomBytes: random(16)), appID: appID, kind: kind, label: label,
      createdAt: request.now)
    let isNew = try await changeDirectory { transaction in
      transaction.add(.lockKeys())
      transaction.add(.forgetRevokedKeys(appID: appID))
      let count: Int64 =
        try await transaction.run(.countKeys(appID: appID, besides: record.id)).first ?? 0
      guard count < Limits.keys else {
        let owner = appID == nil ? "There are" : "An app has"
        throw InputFailure(
          .tooMany, at: "",
          "\(owner) at most \(Limits.keys) keys\(appID == nil ? " of root" : "") in use. Revoke "
            + "one that nobody needs, and try again.")
      }
      let written = try await transaction.run(
        .insertKey(key: record, hash: SHA256.hash(key.text)))
      guard let isNew = written.first else { throw Problem.idTaken(by: "key") }
      return isNew
    }
    return CreatedKey(
      id: record.id.text, kind: kind, label: label, key: key.text, isNew: isNew)
  }
}

/// The body of `POST …/keys`.
struct NewKey: RequestBody {
  static var policy: FieldPolicy { .strict }

  var id: UUID?
  var kind: APIKeyKind
  var label: String

  init?(reading fields: FieldReader) {
    id = fields.uuid("id").value
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
