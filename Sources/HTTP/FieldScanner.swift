/// Reads the pieces that structured field values are made of (RFC 9110 section 5.6).
struct FieldScanner {
  private let bytes: [UInt8]
  private var index = 0

  init(_ bytes: some Sequence<UInt8>) {
    self.bytes = Array(bytes)
  }

  var isAtEnd: Bool { index == bytes.count }

  mutating func skipBlanks() {
    while index < bytes.count, bytes[index].isBlank { index += 1 }
  }

  mutating func take(_ character: Unicode.Scalar) -> Bool {
    guard index < bytes.count, UInt32(bytes[index]) == character.value else { return false }
    index += 1
    return true
  }

  mutating func token() -> String? {
    let start = index
    while index < bytes.count, ByteSet.token.contains(bytes[index]) { index += 1 }
    return start == index ? nil : String(decoding: bytes[start..<index], as: UTF8.self)
  }

  /// A quoted string without its quotes; nil, and nothing read, when there is none that ends.
  ///
  /// - Parameter lenientBackslash: a backslash before anything but `"` and `\` stands for itself,
  ///   as in the file names of browsers that do not escape it.
  mutating func quotedString(lenientBackslash: Bool = false) -> [UInt8]? {
    guard index < bytes.count, bytes[index] == UInt8(ascii: "\"") else { return nil }
    var text: [UInt8] = []
    var next = index + 1
    while next < bytes.count {
      var byte = bytes[next]
      next += 1
      if byte == UInt8(ascii: "\"") {
        index = next
        return text
      }
      if byte == UInt8(ascii: "\\"), next < bytes.count {
        let escaped = bytes[next]
        let isEscape = escaped == UInt8(ascii: "\"") || escaped == UInt8(ascii: "\\")
        if isEscape || !lenientBackslash {
          byte = escaped
          next += 1
        }
      }
      guard byte.isFieldContent else { return nil }
      text.append(byte)
    }
    return nil
  }

  /// Skips to behind the next comma that is not within quotes, or to the end.
  mutating func skipElement() {
    while index < bytes.count {
      if bytes[index] == UInt8(ascii: ",") {
        index += 1
        return
      }
      if quotedString() == nil { index += 1 }
    }
  }
}
