internal import CCrypto

/// SHA-256 (FIPS 180-4): a 32-byte digest, computed in one call.
public enum SHA256 {
  /// The length of a digest.
  public static let digestBytes = 32

  /// The digest of a byte string.
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
      _ = CCrypto.SHA256(
        buffer.baseAddress?.assumingMemoryBound(to: UInt8.self), buffer.count, digest.baseAddress)
      count = digestBytes
    }
  }
}
