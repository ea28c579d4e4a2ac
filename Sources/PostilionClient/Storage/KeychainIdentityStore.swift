#if canImport(Security)
  import Foundation
  import Security

  /// Keeps the identity in the keychain, from the first unlock on and on this device only: a backup
  /// that is restored on another phone makes a new installation there.
  struct KeychainIdentityStore: IdentityStore {
    /// A keychain error; -25308 is a device that was not unlocked yet.
    struct Failure: Error { var status: OSStatus }

    private var item: [String: Any] {
      [
        kSecClass as String: kSecClassGenericPassword,
        kSecAttrService as String: "org.postilion.installation",
        kSecAttrAccount as String: Bundle.main.bundleIdentifier ?? "app",
        // On the Mac too, where the keychain of old knows nothing of accessibility.
        kSecUseDataProtectionKeychain as String: true,
      ]
    }

    func load() throws -> InstallationIdentity? {
      var query = item
      query[kSecReturnData as String] = true
      query[kSecMatchLimit as String] = kSecMatchLimitOne
      var found: CFTypeRef?
      let status = SecItemCopyMatching(query as CFDictionary, &found)
      if status == errSecItemNotFound { return nil }
      guard status == errSecSuccess, let data = found as? Data else {
        throw Failure(status: status)
      }
      // An item that another program has damaged is as good as none.
      return try? JSONDecoder().decode(InstallationIdentity.self, from: data)
    }

    func save(_ identity: InstallationIdentity) throws {
      let data = try JSONEncoder().encode(identity)
      let values: [String: Any] = [
        kSecValueData as String: data,
        kSecAttrAccessible as String: kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly,
      ]
      var status = SecItemUpdate(item as CFDictionary, values as CFDictionary)
      if status == errSecItemNotFound {
        let new = item.merging(values) { $1 }
        status = SecItemAdd(new as CFDictionary, nil)
      }
      guard status == errSecSuccess else { throw Failure(status: status) }
    }
  }
#endif
