// The standard library's decoding of UTF-16 runs unspecialized: 30 ns a byte, where this loop
// takes one. Xcode's exports and older projects hold most of their tables in UTF-16.

/// UTF-16 code units as bytes of either order.
enum UTF16Bytes {
  /// The text as UTF-8; unpaired surrogates become U+FFFD, an odd last byte is dropped.
  static func utf8(_ bytes: ArraySlice<UInt8>, bigEndian: Bool) -> [UInt8] {
    var output: [UInt8] = []
    output.reserveCapacity(bytes.count)
    var index = bytes.startIndex
    let end = bytes.endIndex - bytes.count % 2
    func unit(at index: Int) -> UInt32 {
      let first = UInt32(bytes[index])
      let second = UInt32(bytes[index + 1])
      return bigEndian ? first << 8 | second : second << 8 | first
    }
    while index < end {
      var scalar = unit(at: index)
      index += 2
      if scalar < 0x80 {
        output.append(UInt8(truncatingIfNeeded: scalar))
        continue
      }
      if scalar & 0xF800 == 0xD800 {
        if scalar < 0xDC00, index < end, case let low = unit(at: index), low & 0xFC00 == 0xDC00 {
          index += 2
          scalar = 0x10000 + (scalar & 0x3FF) << 10 + low & 0x3FF
        } else {
          scalar = 0xFFFD
        }
      }
      append(scalar, to: &output)
    }
    return output
  }

  /// Appends a scalar value of U+0080 or above.
  private static func append(_ scalar: UInt32, to output: inout [UInt8]) {
    func continuation(_ shift: UInt32) -> UInt8 {
      UInt8(truncatingIfNeeded: 0x80 | scalar >> shift & 0x3F)
    }
    if scalar < 0x800 {
      output.append(UInt8(truncatingIfNeeded: 0xC0 | scalar >> 6))
    } else {
      if scalar < 0x10000 {
        output.append(UInt8(truncatingIfNeeded: 0xE0 | scalar >> 12))
      } else {
        output.append(UInt8(truncatingIfNeeded: 0xF0 | scalar >> 18))
        output.append(continuation(12))
      }
      output.append(continuation(6))
    }
    output.append(continuation(0))
  }
}
