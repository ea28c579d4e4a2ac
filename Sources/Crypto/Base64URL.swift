/// Base 64 in the alphabet for URLs and file names, without padding (RFC 4648 section 5, as
/// RFC 7515 uses it): `[0xFB, 0xFF]` ⇄ `"-_8"`.
///
/// Foundation writes only the standard alphabet; four bytes of every key would need replacing.
public enum Base64URL {
  private static let alphabet = Array(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

  /// Four characters per three bytes, fewer at the end.
  public static func encode(_ bytes: [UInt8]) -> String {
    String(unsafeUninitializedCapacity: (bytes.count * 4 + 2) / 3) { text in
      var next = 0
      var bits: UInt32 = 0
      var bitCount = 0
      for byte in bytes {
        bits = bits << 8 | UInt32(byte)
        bitCount += 8
        while bitCount >= 6 {
          bitCount -= 6
          text[next] = alphabet[Int(bits >> bitCount & 63)]
          next += 1
        }
      }
      if bitCount > 0 {
        text[next] = alphabet[Int(bits << (6 - bitCount) & 63)]
        next += 1
      }
      return next
    }
  }

  /// The bytes of a text in exactly this form; `nil` otherwise.
  ///
  /// Strict, so that every byte string has one text: no padding, no white space, none of the
  /// standard alphabet's `+` and `/`, unused bits zero.
  public static func decode(_ text: String) -> [UInt8]? {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.utf8.count * 3 / 4)
    var bits: UInt32 = 0
    var bitCount = 0
    for character in text.utf8 {
      guard let value = value(of: character) else { return nil }
      bits = bits << 6 | value
      bitCount += 6
      if bitCount >= 8 {
        bitCount -= 8
        bytes.append(UInt8(truncatingIfNeeded: bits >> bitCount))
      }
    }
    guard bitCount < 6, bits & (1 << bitCount - 1) == 0 else { return nil }
    return bytes
  }

  private static func value(of character: UInt8) -> UInt32? {
    switch character {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(character - UInt8(ascii: "A"))
    case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(character - UInt8(ascii: "a") + 26)
    case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(character - UInt8(ascii: "0") + 52)
    case UInt8(ascii: "-"): 62
    case UInt8(ascii: "_"): 63
    default: nil
    }
  }
}
