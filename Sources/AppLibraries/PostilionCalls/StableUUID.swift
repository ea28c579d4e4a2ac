import Foundation

extension UUID {
  /// The UUID of a name: that which it spells, or else one that is made of it, always the same.
  ///
  /// The system knows a call by a UUID, a service by whatever it likes. A name that spells a UUID
  /// is that one, in small letters or capitals. Any other has the 128 bits of FNV-1a over its
  /// UTF-8, with the version 8 and the variant of RFC 9562 (5.8) in their places:
  ///
  ///     "5F0C8E6A-2B9D-4C1E-8A37-D14F6B20C9EE"   5F0C8E6A-2B9D-4C1E-8A37-D14F6B20C9EE
  ///     "a"                                      D228CB69-6F1A-8CAF-B891-2B704E4A8964
  ///
  /// FNV-1a is no cryptographic hash: two calls of one app do not meet by accident, and the names
  /// come from the app's own service.
  public init(postilionName name: String) {
    self = UUID(uuidString: name) ?? Self.fnv(Array(name.utf8))
  }

  /// The UUID of bytes, as that of a name that spells none.
  static func fnv(_ bytes: [UInt8]) -> UUID {
    let (high, low) = fnv1a(bytes)
    func byte(_ half: UInt64, _ index: UInt64) -> UInt8 { UInt8(half >> (56 - 8 * index) & 0xFF) }
    return UUID(
      uuid: (
        byte(high, 0), byte(high, 1), byte(high, 2), byte(high, 3), byte(high, 4), byte(high, 5),
        byte(high, 6) & 0x0F | 0x80, byte(high, 7), byte(low, 0) & 0x3F | 0x80, byte(low, 1),
        byte(low, 2), byte(low, 3), byte(low, 4), byte(low, 5), byte(low, 6), byte(low, 7)
      ))
  }

  /// FNV-1a of 128 bits, by Fowler, Noll and Vo: each byte is mixed in by exclusive or, then the
  /// hash is multiplied by 2⁸⁸ + 0x13B. Of that product the first part is a shift by 88 bits, which
  /// leaves only the lower half's lowest 40.
  static func fnv1a(_ bytes: [UInt8]) -> (high: UInt64, low: UInt64) {
    var high: UInt64 = 0x6C62_272E_07BB_0142
    var low: UInt64 = 0x62B8_2175_6295_C58D
    for byte in bytes {
      low ^= UInt64(byte)
      let product = low.multipliedFullWidth(by: 0x13B)
      high = high &* 0x13B &+ product.high &+ low << 24
      low = product.low
    }
    return (high, low)
  }
}
