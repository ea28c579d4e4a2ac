internal import CCrypto
internal import FoundationEssentials

/// A public key that signatures are checked with, and the one algorithm that it is for (RFC 7518,
/// section 3.1). The key alone decides about the algorithm: the signed message has no say in it.
public struct PublicKey: Sendable, Hashable {
  public enum Algorithm: String, Sendable, CaseIterable {
    /// RSASSA-PKCS1-v1_5 with SHA-256, by RSA keys of 2048 to 8192 bits.
    case rs256 = "RS256"
    /// ECDSA with SHA-256, by keys of the curve P-256.
    case es256 = "ES256"
  }

  public let algorithm: Algorithm
  /// Its SubjectPublicKeyInfo (RFC 5280, section 4.1.2.7).
  private let der: [UInt8]

  /// A key of an X.509 structure; `nil` when it is for no ``Algorithm``.
  private init?(der: [UInt8]) {
    guard let algorithm = Self.withKey(der, Self.algorithm) else { return nil }
    self.algorithm = algorithm
    self.der = der
  }

  // MARK: Forms

  /// Reads one key as text (RFC 7468, section 13); `nil` when the text is no key, or the key is for
  /// no ``Algorithm``.
  public init?(pem: String) {
    let lines = pem.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    let label = (begin: "-----BEGIN PUBLIC KEY----- ", end: " -----END PUBLIC KEY-----")
    guard lines.hasPrefix(label.begin), lines.hasSuffix(label.end) else { return nil }
    let text = lines.dropFirst(label.begin.count).dropLast(label.end.count)
    guard let der = Data(base64Encoded: text.filter { $0 != " " }) else { return nil }
    self.init(der: Array(der))
  }

  /// The key as text, which ends in a line feed.
  public var pem: String {
    let text = Data(der).base64EncodedString(
      options: [.lineLength64Characters, .endLineWithLineFeed])
    return "-----BEGIN PUBLIC KEY-----\n\(text)\n-----END PUBLIC KEY-----\n"
  }

  /// An RSA key of its numbers, the highest byte first (RFC 7518, section 6.3.1).
  public init?(rsaModulus modulus: [UInt8], exponent: [UInt8]) {
    let numbers = DER.sequence(DER.integer(modulus), DER.integer(exponent))
    self.init(der: DER.sequence(Self.rsaEncryption, DER.bitString(numbers)))
  }

  /// A key of the curve P-256 of its point, 32 bytes each (RFC 7518, section 6.2.1).
  public init?(p256X x: [UInt8], y: [UInt8]) {
    guard x.count == 32, y.count == 32 else { return nil }
    self.init(der: DER.sequence(Self.p256, DER.bitString([4] + x + y)))
  }

  /// AlgorithmIdentifier: rsaEncryption, and null.
  private static let rsaEncryption: [UInt8] = [
    0x30, 0x0D, 0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x01, 0x05, 0x00,
  ]
  /// AlgorithmIdentifier: id-ecPublicKey, and prime256v1.
  private static let p256: [UInt8] = [
    0x30, 0x13, 0x06, 0x07, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01,
    0x06, 0x08, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07,
  ]

  // MARK: Use

  /// Whether a signature is this key's.
  /// - Parameter signature: As a JWS has it (RFC 7518, sections 3.3 and 3.4): for ES256 the two
  ///   numbers, 32 bytes each.
  public func isValid(_ signature: [UInt8], of message: [UInt8]) -> Bool {
    var signature = signature
    if algorithm == .es256 {
      guard signature.count == 64 else { return false }
      signature = DER.sequence(
        DER.integer(signature.prefix(32)), DER.integer(signature.suffix(32)))
    }
    return Self.withKey(der) { key in
      let context = EVP_MD_CTX_new()
      defer { EVP_MD_CTX_free(context) }
      return EVP_DigestVerifyInit(context, nil, EVP_sha256(), nil, key) == 1
        && EVP_DigestVerify(context, signature, signature.count, message, message.count) == 1
    } ?? false
  }

  /// Lends libcrypto's form of a key; `nil` when the bytes are no key, or more bytes follow it.
  private static func withKey<Result>(
    _ der: [UInt8], _ body: (OpaquePointer) -> Result?
  ) -> Result? {
    // Nobody is told of the error, least of all the next caller that looks into libcrypto's queue.
    defer { ERR_clear_error() }
    return der.withUnsafeBufferPointer { bytes -> Result? in
      var next = bytes.baseAddress
      guard let key = d2i_PUBKEY(nil, &next, bytes.count) else { return nil }
      defer { EVP_PKEY_free(key) }
      return next == bytes.baseAddress.map { $0 + bytes.count } ? body(key) : nil
    }
  }

  /// The algorithm of a key. A key of RSA-PSS, of another curve or of another size has none here.
  private static func algorithm(of key: OpaquePointer) -> Algorithm? {
    if EVP_PKEY_is_a(key, "RSA") == 1 {
      return (2048...8192).contains(EVP_PKEY_get_bits(key)) && hasUsualExponent(key)
        ? .rs256 : nil
    }
    var name = [CChar](repeating: 0, count: 80)
    guard EVP_PKEY_is_a(key, "EC") == 1,
      EVP_PKEY_get_group_name(key, &name, name.count, nil) == 1
    else { return nil }
    return String(decoding: name.prefix { $0 != 0 }.map(UInt8.init), as: UTF8.self)
      == "prime256v1" ? .es256 : nil
  }

  /// With the exponent 1 every text is its own signature, and a long exponent takes long.
  private static func hasUsualExponent(_ key: OpaquePointer) -> Bool {
    var exponent: OpaquePointer?
    defer { BN_free(exponent) }
    return EVP_PKEY_get_bn_param(key, "e", &exponent) == 1 && BN_is_odd(exponent) == 1
      && (2...64).contains(BN_num_bits(exponent))
  }
}

/// The few forms of DER (X.690) that keys and signatures come in.
enum DER {
  static func sequence(_ elements: [UInt8]...) -> [UInt8] {
    element(0x30, Array(elements.joined()))
  }

  /// An INTEGER that is not negative, of its bytes with the highest first: `[0, 0x80]` → `02 02 00
  /// 80`, as a first bit that is set would make it negative.
  static func integer(_ bytes: some Collection<UInt8>) -> [UInt8] {
    let digits = bytes.drop { $0 == 0 }
    let isBare = digits.first.map { $0 < 0x80 } ?? false
    return element(0x02, (isBare ? [] : [0]) + digits)
  }

  /// A BIT STRING of whole bytes.
  static func bitString(_ bytes: [UInt8]) -> [UInt8] { element(0x03, [0] + bytes) }

  private static func element(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
    let count = content.count
    if count < 0x80 { return [tag, UInt8(count)] + content }
    let length = [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: count >> $0) }.drop { $0 == 0 }
    return [tag, 0x80 | UInt8(length.count)] + length + content
  }
}
