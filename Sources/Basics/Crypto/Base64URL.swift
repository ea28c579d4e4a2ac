internal import FoundationEssentials

/// Base 64 in the alphabet for URLs and file names, without padding (RFC 4648 section 5, as
/// RFC 7515 uses it): `[0xFB, 0xFF]` ⇄ `"-_8"`.
public enum Base64URL {
  /// Four characters per three bytes, fewer at the end.
  public static func encode(_ bytes: [UInt8]) -> String {
    String(decoding: characters(of: Data(bytes)), as: UTF8.self)
  }

  private static func characters(of data: Data) -> [UInt8] {
    data.base64EncodedData().prefix { $0 != UInt8(ascii: "=") }.map { character in
      switch character {
      case UInt8(ascii: "+"): UInt8(ascii: "-")
      case UInt8(ascii: "/"): UInt8(ascii: "_")
      default: character
      }
    }
  }

  /// The bytes of a text in exactly this form; `nil` otherwise.
  ///
  /// Strict, so that every byte string has one text: no padding, no white space, none of the
  /// standard alphabet's `+` and `/`, unused bits zero.
  public static func decode(_ text: String) -> [UInt8]? {
    var standard = text.utf8.map { character in
      switch character {
      case UInt8(ascii: "-"): UInt8(ascii: "+")
      case UInt8(ascii: "_"): UInt8(ascii: "/")
      default: character
      }
    }
    standard += repeatElement(UInt8(ascii: "="), count: (4 - standard.count % 4) % 4)
    // Foundation takes other spellings of the same bytes, too.
    guard let data = Data(base64Encoded: Data(standard)),
      characters(of: data).elementsEqual(text.utf8)
    else { return nil }
    return Array(data)
  }
}
