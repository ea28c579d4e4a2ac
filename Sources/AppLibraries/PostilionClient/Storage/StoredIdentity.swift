import Foundation

/// Keeps the identity in a store of bytes. That of the keychain stays on this device: a backup that
/// is restored on another phone makes a new installation there.
struct StoredIdentity: IdentityStore {
  let store: any StateStore

  func load() throws -> InstallationIdentity? {
    guard let data = try store.load() else { return nil }
    // Damaged bytes are as good as none; they would not mend by themselves.
    return try? JSONDecoder().decode(InstallationIdentity.self, from: data)
  }

  func save(_ identity: InstallationIdentity) throws {
    try store.save(JSONEncoder().encode(identity))
  }
}
