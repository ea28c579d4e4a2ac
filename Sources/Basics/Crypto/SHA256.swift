internal import CCrypto

/// SHA-256 (FIPS 180-4): a 32-byte digest, computed in one call.
public enum SHA256 {
  public static let digestBytes = 32

  /// Looked up once: `SHA256()` does it at each call, 300 ns for a key of 40 bytes against 120.
  ///
  /// `nonisolated(unsafe)`: libcrypto never changes an algorithm that it gave out, and
  /// EVP_MD_fetch(3) lets threads share it; only its C pointer type is not Sendable.
  nonisolated(unsafe) private static let algorithm =
    Libcrypto.staysUntilTheEnd ? EVP_MD_fetch(nil, "SHA256", nil) : nil

  public static func hash(_ bytes: [UInt8]) -> [UInt8] {
    bytes.withUnsafeBytes(hash)
  }

  /// The digest of a text's UTF-8 bytes.
  public static func hash(_ text: String) -> [UInt8] {
    var text = text
    return text.withUTF8 { hash(UnsafeRawBufferPointer($0)) }
  }

  /// The digest of the bytes in a buffer, which may be empty.
  public static func hash(_ buffer: UnsafeRawBufferPointer) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: digestBytes) { digest, count in
      let isDone =
        EVP_Digest(buffer.baseAddress, buffer.count, digest.baseAddress, nil, algorithm, nil) == 1
      precondition(isDone, "libcrypto has no SHA-256")
      count = digestBytes
    }
  }
}

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

/// Whether two byte strings are equal, in time that depends only on their lengths.
///
/// For secrets and their digests; lengths are taken as public, so unequal ones answer at once.
public func constantTimeEqual(_ left: [UInt8], _ right: [UInt8]) -> Bool {
  left.count == right.count && CRYPTO_memcmp(left, right, left.count) == 0
}
