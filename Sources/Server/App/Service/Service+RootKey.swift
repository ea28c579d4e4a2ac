internal import Content
internal import Crypto
internal import FoundationEssentials
internal import Postgres
internal import Telemetry

extension Service {
  /// Installs the configured root key, or makes the very first one.
  /// - Returns: The key that was made; it is nowhere else.
  /// - Throws: ``StartFailure/rootKeyRevoked``, beside errors of the database.
  func installRootKey(_ configured: APIKey?, _ database: PostgresClient) async throws -> String? {
    if let configured {
      try await install(configured, database)
      return nil
    }
    let key = APIKey(kind: .root, randomBytes: shared.randomBytes(24))
    let made = try await database.transaction { transaction in
      transaction.add(.lockKeys())
      return try await transaction.run(
        .insertFirstRootKey(
          id: UUID(randomBytes: shared.randomBytes(16)), hash: SHA256.hash(key.text),
          now: shared.clock()))
    }
    return made.isEmpty ? nil : key.text
  }

  /// Installs a root key. A key that another configured key retired comes back, as after a rollback
  /// or while instances are given a new key in turn, and the log warns. A key that a call revoked
  /// never comes back.
  private func install(_ key: APIKey, _ database: PostgresClient) async throws {
    let hash = SHA256.hash(key.text)
    let (known, retired) = try await database.transaction { transaction in
      transaction.add(.lockKeys())
      let known = try await transaction.run(.rootKey(hash: hash)).first
      if known?.isRevokedByCall == true { throw StartFailure.rootKeyRevoked }
      transaction.add(SendNotice(notice: .directory))
      let retired: Int64 =
        try await transaction.run(
          .installRootKey(
            id: UUID(randomBytes: shared.randomBytes(16)), hash: hash, now: shared.clock())
        ).first ?? 0
      return (known, retired)
    }
    if let known, known.isRevoked { shared.observation.rootKeyRevived(known.id) }
    if retired > 0 {
      shared.observation.note("root_keys_retired", ["count": .integer(Int(retired))])
    }
  }
}

extension Observation {
  /// A root key that another one had replaced is configured again, and in use.
  func rootKeyRevived(_ id: UUID) {
    logger.log(.warning, "root_key_revived", ["key_id": .string(id.text)])
  }

  /// The root key of the settings was not installed into a database that is served already.
  func rootKeyRefused(_ cause: String) {
    logger.log(.error, "root_key_refused", ["cause": .string(cause)])
  }
}
