/// A set of ASCII bytes as two words: membership is a shift, and the constants need no start-up.
struct ByteSet: Sendable {
  let low: UInt64
  let high: UInt64

  @inline(__always)
  func contains(_ byte: UInt8) -> Bool {
    let word = byte < 64 ? low : high
    return byte < 128 && (word >> UInt64(byte & 63)) & 1 == 1
  }

  /// `tchar` of RFC 9110 section 5.6.2: letters, digits and ``!#$%&'*+-.^_`|~``.
  static let token = ByteSet(low: 0x03FF_6CFA_0000_0000, high: 0x57FF_FFFF_C7FF_FFFE)

  /// `reg-name` of RFC 3986 section 3.2.2: unreserved, `sub-delims` and `%`.
  static let registeredName = ByteSet(low: 0x2BFF_7FF2_0000_0000, high: 0x47FF_FFFE_87FF_FFFE)
}

extension UInt8 {
  /// A space or a tab, which RFC 9110 section 5.6.3 allows around a field value.
  @inline(__always)
  var isBlank: Bool { self == 0x20 || self == 0x09 }

  /// A byte that may stand in a field value: tab, visible ASCII, space and `obs-text`.
  @inline(__always)
  var isFieldContent: Bool { self >= 0x20 ? self != 0x7F : self == 0x09 }

  @inline(__always)
  var lowercased: UInt8 { self &- 0x41 < 26 ? self | 0x20 : self }
}

typealias Bytes = UnsafeBufferPointer<UInt8>

/// Whether bytes are a lowercase ASCII text, letter case aside.
@inline(__always)
func equalsIgnoringCase(_ bytes: Bytes, _ range: Range<Int>, _ lowercased: StaticString) -> Bool {
  guard range.count == lowercased.utf8CodeUnitCount else { return false }
  let text = lowercased.utf8Start
  for offset in 0..<range.count
  where bytes[range.lowerBound &+ offset].lowercased != text[offset] {
    return false
  }
  return true
}

/// Whether all bytes of a range may stand in a field value, eight bytes at a step.
func isFieldContent(_ bytes: Bytes, _ range: Range<Int>) -> Bool {
  guard let base = bytes.baseAddress else { return true }
  let raw = UnsafeRawPointer(base)
  var index = range.lowerBound
  while index &+ 8 <= range.upperBound {
    let word = raw.loadUnaligned(fromByteOffset: index, as: UInt64.self)
    // May report a good word (a tab, or a borrow from the byte below); then each byte decides.
    let below = (word &- 0x2020_2020_2020_2020) & ~word
    let delete = word ^ 0x7F7F_7F7F_7F7F_7F7F
    let suspects = below | ((delete &- 0x0101_0101_0101_0101) & ~delete)
    if suspects & 0x8080_8080_8080_8080 != 0 {
      for offset in index..<index &+ 8 where !bytes[offset].isFieldContent { return false }
    }
    index &+= 8
  }
  while index < range.upperBound {
    if !bytes[index].isFieldContent { return false }
    index &+= 1
  }
  return true
}
