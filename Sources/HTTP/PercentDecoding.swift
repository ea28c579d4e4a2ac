internal import ASCII

/// Percent-decoding (RFC 3986 section 2.1), strict: `%` is followed by two hexadecimal digits.
///
///     a%2Fb   a/b        a%2   nil        caf%C3%A9   café
///
/// - Parameters:
///   - plusIsSpace: as in `application/x-www-form-urlencoded`.
///   - escapedSlash: what `%2F` becomes.
/// - Returns: nil for a bad escape.
func percentDecoded(
  _ text: Bytes, plusIsSpace: Bool = false, escapedSlash: UInt8 = UInt8(ascii: "/")
) -> [UInt8]? {
  var decoded: [UInt8] = []
  decoded.reserveCapacity(text.count)
  var index = 0
  while index < text.count {
    switch text[index] {
    case UInt8(ascii: "%"):
      guard index + 2 < text.count, let high = text[index + 1].hexDigit,
        let low = text[index + 2].hexDigit
      else { return nil }
      let byte = high << 4 | low
      decoded.append(byte == UInt8(ascii: "/") ? escapedSlash : byte)
      index += 3
    case UInt8(ascii: "+") where plusIsSpace:
      decoded.append(UInt8(ascii: " "))
      index += 1
    case let byte:
      decoded.append(byte)
      index += 1
    }
  }
  return decoded
}
