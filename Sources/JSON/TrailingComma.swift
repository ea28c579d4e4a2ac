extension Sequence<UInt8> {
  /// Whether JSON text that Foundation took has a comma before a closing bracket. RFC 8259
  /// (sections 4 and 5) has none there; Foundation on Linux lets it pass in objects, and a client
  /// should hear of it before a stricter server is in its way.
  ///
  /// `{"a": 1,}` → true, `{"a": ",}"}` → false
  var hasTrailingComma: Bool {
    var isInString = false
    var isEscaped = false
    var isAfterComma = false
    for byte in self {
      if isInString {
        if isEscaped {
          isEscaped = false
        } else if byte == UInt8(ascii: "\\") {
          isEscaped = true
        } else if byte == UInt8(ascii: "\"") {
          isInString = false
        }
        continue
      }
      switch byte {
      case UInt8(ascii: " "), 0x09, 0x0A, 0x0D: continue
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        if isAfterComma { return true }
      case UInt8(ascii: "\""): isInString = true
      default: break
      }
      isAfterComma = byte == UInt8(ascii: ",")
    }
    return false
  }
}
