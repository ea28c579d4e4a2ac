#if canImport(Security)
  import Foundation
  import Security

  /// Bytes in the keychain, from the first unlock on and on this device only.
  struct KeychainStore: StateStore {
    /// A keychain error; -25308 is a device that was not unlocked yet.
    struct Failure: Error { var status: OSStatus }

    /// What the bytes are, such as `org.postilion.installation`.
    let service: String

    private var item: [String: Any] {
      [
        kSecClass as String: kSecClassGenericPassword,
        kSecAttrService as String: service,
        kSecAttrAccount as String: Bundle.main.bundleIdentifier ?? "app",
        // On the Mac too, where the keychain of old knows nothing of accessibility.
        kSecUseDataProtectionKeychain as String: true,
      ]
    }

    func load() throws -> Data? {
      var query = item
      query[kSecReturnData as String] = true
      query[kSecMatchLimit as String] = kSecMatchLimitOne
      var found: CFTypeRef?
      let status = SecItemCopyMatching(query as CFDictionary, &found)
      if status == errSecItemNotFound { return nil }
      guard status == errSecSuccess, let data = found as? Data else {
        throw Failure(status: status)
      }
      return data
    }

    func save(_ state: Data) throws {
      let values: [String: Any] = [
        kSecValueData as String: state,
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
