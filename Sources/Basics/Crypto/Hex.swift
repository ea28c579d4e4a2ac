internal import ASCII

/// Base 16 (RFC 4648 section 8), written in lower case: `[0xDE, 0x01]` ⇄ `"de01"`.
public enum Hex {
  private static let digits = Array("0123456789abcdef".utf8)

  /// Two lower-case digits per byte.
  public static func encode(_ bytes: some Collection<UInt8>) -> String {
    String(unsafeUninitializedCapacity: bytes.count * 2) { text in
      var next = 0
      for byte in bytes {
        text[next] = digits[Int(byte >> 4)]
        text[next + 1] = digits[Int(byte & 15)]
        next += 2
      }
      return next
    }
  }

  /// Appends two lower-case digits per byte, in ASCII.
  public static func append(_ bytes: some Collection<UInt8>, to text: inout [UInt8]) {
    var next = text.count
    // In place: a million tokens are written byte by byte in twice the time.
    text.append(contentsOf: repeatElement(0, count: bytes.count * 2))
    text.withUnsafeMutableBufferPointer { text in
      for byte in bytes {
        text[next] = digit(byte >> 4)
        text[next + 1] = digit(byte & 15)
        next += 2
      }
    }
  }

  private static func digit(_ value: UInt8) -> UInt8 {
    value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") - 10 + value
  }

  /// The bytes of a text that is nothing but pairs of digits, either case; `nil` otherwise.
  ///
  /// No prefix, space or separator is accepted. The empty text is the empty byte string.
  public static func decode(_ text: some StringProtocol) -> [UInt8]? {
    let digits = text.utf8
    guard digits.count.isMultiple(of: 2) else { return nil }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(digits.count / 2)
    var high: UInt8?
    for digit in digits {
      guard let value = digit.hexDigit else { return nil }
      if let upper = high {
        bytes.append(upper << 4 | value)
        high = nil
      } else {
        high = value
      }
    }
    return bytes
  }
}
