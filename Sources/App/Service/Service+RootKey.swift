internal import Content
internal import Crypto
internal import FoundationEssentials
internal import Postgres
internal import Telemetry

extension Service {
  /// Installs the configured root key, or makes the very first one.
  /// - Returns: The key that was made; it is nowhere else.
  /// - Throws: ``StartFailure/rootKeyRevoked``, beside what the database says.
  func installRootKey(_ configured: APIKey?, _ database: PostgresClient) async throws -> String? {
    if let configured {
      try await install(configured, database)
      return nil
    }
    let key = APIKey(kind: .root, randomBytes: shared.randomBytes(24))
    let insert = InsertFirstRootKey(
      id: UUID(randomBytes: shared.randomBytes(16)), hash: SHA256.hash(key.text),
      now: shared.clock())
    let made = try await database.transaction { transaction in
      transaction.add(LockKeys())
      return try await transaction.run(insert)
    }
    return made.isEmpty ? nil : key.text
  }

  /// One that another configured key retired comes back, as after a rollback or while instances are
  /// given a new key in turn, and the log warns; one that a call revoked never does.
  private func install(_ key: APIKey, _ database: PostgresClient) async throws {
    let hash = SHA256.hash(key.text)
    let install = InstallRootKey(
      id: UUID(randomBytes: shared.randomBytes(16)), hash: hash, now: shared.clock())
    let (known, retired) = try await database.transaction { transaction in
      transaction.add(LockKeys())
      let known = try await transaction.run(FindRootKey(hash: hash)).first
      if known?.isRevokedByCall == true { throw StartFailure.rootKeyRevoked }
      transaction.add(SendNotice(notice: .directory))
      return (known, try await transaction.run(install).first ?? 0)
    }
    if let known, known.isRevoked { shared.observation.rootKeyRevived(known.id) }
    if retired > 0 {
      shared.observation.note("root_keys_retired", ["count": .integer(Int(retired))])
    }
  }
}
