internal import CCrypto

/// HMAC with SHA-256 (RFC 2104, RFC 4231): a 32-byte authentication code.
public enum HMACSHA256 {
  /// The code of `message` under `key`.
  ///
  /// Keys of any length are allowed; those over 64 bytes are hashed first, as RFC 2104 says.
  public static func authenticationCode(of message: [UInt8], key: [UInt8]) -> [UInt8] {
    // An empty array has no address, and libcrypto takes a null key for "keep the last one".
    let key = key.isEmpty ? [0] : key
    return [UInt8](unsafeUninitializedCapacity: SHA256.digestBytes) { code, count in
      let written = HMAC(
        EVP_sha256(), key, Int32(key.count), message, message.count, code.baseAddress, nil)
      precondition(written != nil, "libcrypto has no HMAC-SHA256")
      count = SHA256.digestBytes
    }
  }

  /// Whether `code` is the code of `message` under `key`, in time that does not depend on where
  /// they differ.
  public static func isValid(_ code: [UInt8], of message: [UInt8], key: [UInt8]) -> Bool {
    constantTimeEqual(code, authenticationCode(of: message, key: key))
  }
}
