internal import FoundationEssentials

extension UUID {
  /// A version 4 UUID (RFC 9562, section 5.4) out of 16 random bytes.
  init(randomBytes bytes: [UInt8]) {
    precondition(bytes.count == 16, "a UUID has 16 bytes")
    var value = bytes
    value[6] = value[6] & 0x0F | 0x40
    value[8] = value[8] & 0x3F | 0x80
    self = value.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
  }
}
