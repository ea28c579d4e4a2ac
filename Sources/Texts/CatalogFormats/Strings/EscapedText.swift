/// Collects UTF-8 bytes and UTF-16 units, joining surrogates that come as two escapes.
struct EscapedText {
  private var bytes: [UInt8]
  private var highSurrogate: UInt16?

  init(prefix: ArraySlice<UInt8>) {
    bytes = Array(prefix)
  }

  mutating func append(utf8 byte: UInt8) {
    if highSurrogate != nil { replaceSurrogate() }
    bytes.append(byte)
  }

  mutating func append(utf16 unit: UInt16) {
    if let high = highSurrogate, UTF16.isTrailSurrogate(unit) {
      highSurrogate = nil
      bytes.append(contentsOf: String(decoding: [high, unit], as: UTF16.self).utf8)
      return
    }
    if highSurrogate != nil { replaceSurrogate() }
    if UTF16.isLeadSurrogate(unit) {
      highSurrogate = unit
    } else {
      bytes.append(contentsOf: String(decoding: CollectionOfOne(unit), as: UTF16.self).utf8)
    }
  }

  mutating func finish() -> String {
    if highSurrogate != nil { replaceSurrogate() }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Replaces half a pair of surrogates, which stands for nothing, by U+FFFD, as Foundation does.
  private mutating func replaceSurrogate() {
    highSurrogate = nil
    bytes.append(contentsOf: [0xEF, 0xBF, 0xBD])
  }
}
