public import FoundationEssentials

extension UUID {
  /// Appends the 36 characters in lower case: a twentieth of the time of `uuidString`, which goes
  /// through `snprintf`.
  public func append(to text: inout [UInt8]) {
    withUnsafeBytes(of: uuid) { bytes in
      for (index, group) in [0..<4, 4..<6, 6..<8, 8..<10, 10..<16].enumerated() {
        if index > 0 { text.append(UInt8(ascii: "-")) }
        Hex.append(bytes[group], to: &text)
      }
    }
  }

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
