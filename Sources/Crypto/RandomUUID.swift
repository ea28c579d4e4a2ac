public import FoundationEssentials

extension UUID {
  /// A version 4 UUID (RFC 9562, section 5.4) out of 16 random bytes.
  public init(randomBytes bytes: [UInt8]) { self.init(bytes: bytes, version: 4) }

  /// A UUID of a version, 4 or 8, whose other bits are those of 16 bytes.
  public init(bytes: [UInt8], version: UInt8) {
    precondition(bytes.count == 16, "a UUID has 16 bytes")
    var value = bytes
    value[6] = value[6] & 0x0F | version << 4
    value[8] = value[8] & 0x3F | 0x80
    self = value.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
  }
}
