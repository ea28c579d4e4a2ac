internal import ASCII
internal import CCrypto
public import FoundationEssentials

/// Unpredictable bytes from libcrypto's generator, fit for keys and tokens.
///
/// The process stops when the generator cannot be seeded: no weaker bytes would do, and there is
/// nothing a caller could try instead.
public func randomBytes(_ count: Int) -> [UInt8] {
  precondition(count >= 0 && count <= Int32.max, "a byte count is not negative")
  precondition(Libcrypto.staysUntilTheEnd, "libcrypto cannot be initialized")
  return [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
    let isFilled = count == 0 || RAND_bytes(buffer.baseAddress, Int32(count)) == 1
    precondition(isFilled, "libcrypto's random generator cannot be seeded")
    initialized = count
  }
}

/// A setting of libcrypto that holds for the whole process.
enum Libcrypto {
  /// Whether libcrypto stays until the very end of the process. The first use of this constant sets
  /// it.
  ///
  /// By default libcrypto frees all its memory when the process exits. Other threads go on
  /// meanwhile. A thread that then needs a random byte, such as for a new session of the database,
  /// would crash.
  /// Source: OPENSSL_init_crypto(3), `OPENSSL_INIT_NO_ATEXIT`.
  static let staysUntilTheEnd = OPENSSL_init_crypto(UInt64(OPENSSL_INIT_NO_ATEXIT), nil) == 1
}

extension UUID {
  /// A version 4 UUID (RFC 9562, section 5.4) out of 16 random bytes.
  public init(randomBytes bytes: [UInt8]) { self.init(bytes: bytes, version: 4) }

  /// A UUID of a version, 4 or 8. Its other bits are those of 16 bytes.
  public init(bytes: [UInt8], version: UInt8) {
    precondition(bytes.count == 16, "a UUID has 16 bytes")
    var value = bytes
    value[6] = value[6] & 0x0F | version << 4
    value[8] = value[8] & 0x3F | 0x80
    self = value.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
  }
}

/// The 36-character form of a UUID (RFC 9562, section 4). Foundation's own goes through `sscanf`
/// and `snprintf`: a twentieth of the time of a request that changes nothing.
extension UUID {
  /// Takes the 36 characters, in either case; `nil` when the text is anything else.
  public init?(text: some StringProtocol) {
    guard text.utf8.count == 36 else { return nil }
    var value: UInt128 = 0
    var place = 0
    for character in text.utf8 {
      defer { place += 1 }
      switch place {
      case 8, 13, 18, 23:
        guard character == UInt8(ascii: "-") else { return nil }
      default:
        guard let digit = character.hexDigit else { return nil }
        value = value << 4 | UInt128(digit)
      }
    }
    self = withUnsafeBytes(of: value.bigEndian) {
      UUID(uuid: $0.loadUnaligned(as: uuid_t.self))
    }
  }

  /// The 36 characters in lower case.
  public var text: String {
    var characters: [UInt8] = []
    characters.reserveCapacity(36)
    append(to: &characters)
    return String(decoding: characters, as: UTF8.self)
  }

  /// Appends the 36 characters in lower case.
  public func append(to text: inout [UInt8]) {
    withUnsafeBytes(of: uuid) { bytes in
      for (index, group) in [0..<4, 4..<6, 6..<8, 8..<10, 10..<16].enumerated() {
        if index > 0 { text.append(UInt8(ascii: "-")) }
        Hex.append(bytes[group], to: &text)
      }
    }
  }
}
