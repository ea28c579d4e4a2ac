/// Reads the pieces that field values are made of (RFC 9110 section 5.6): tokens, quoted strings,
/// parameters and lists. It looks at each byte a few times at most, whatever the field holds.
struct FieldScanner {
  private let bytes: [UInt8]
  private var index = 0
  /// Whether a quoted string may begin from here on. If one string does not end, no later string
  /// ends.
  private var quotesEnd = true

  init(_ bytes: some Sequence<UInt8>) {
    self.bytes = Array(bytes)
  }

  var isAtEnd: Bool { index == bytes.count }

  var peek: UInt8? { index < bytes.count ? bytes[index] : nil }

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

  /// The bytes up to the first one for which `isEnd` holds, or to the end.
  mutating func text(upTo isEnd: (UInt8) -> Bool) -> ArraySlice<UInt8> {
    let start = index
    while index < bytes.count, !isEnd(bytes[index]) { index += 1 }
    return bytes[start..<index]
  }

  /// `[ "W/" ] DQUOTE *etagc DQUOTE` (RFC 9110 section 8.8.3). When there is none, this is nil, and
  /// nothing is read. The place covers the quotation marks and all between. A backslash means
  /// nothing.
  mutating func entityTag() -> (isWeak: Bool, place: Range<Int>)? {
    let start = index
    let isWeak = take("W")
    if !isWeak || take("/"), index < bytes.count, bytes[index] == UInt8(ascii: "\"") {
      var end = index + 1
      while end < bytes.count, bytes[end] > 0x20, bytes[end] != 0x7F {
        if bytes[end] == UInt8(ascii: "\"") {
          defer { index = end + 1 }
          return (isWeak, index..<end + 1)
        }
        end += 1
      }
    }
    index = start
    return nil
  }

  /// A quoted string without its quotes. When there is none that ends, this is nil, and nothing is
  /// read.
  ///
  /// - Parameter lenientBackslash: a backslash before anything but `"` and `\` stands for itself,
  ///   as in the file names of browsers that do not escape it.
  mutating func quotedString(lenientBackslash: Bool = false) -> [UInt8]? {
    guard quotesEnd, peek == UInt8(ascii: "\"") else { return nil }
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
      guard byte.isFieldContent else { break }
      text.append(byte)
    }
    quotesEnd = false
    return nil
  }

  /// `*( OWS ";" OWS [ name "=" ( token / quoted-string ) ] )`, names in lower case; nil when one
  /// is malformed or there are more than `maximum`.
  mutating func parameters(
    atMost maximum: Int, lenientBackslash: Bool = false
  ) -> [(name: String, value: [UInt8])]? {
    var parameters: [(name: String, value: [UInt8])] = []
    while true {
      let before = index
      skipBlanks()
      guard take(";") else {
        index = before
        return parameters
      }
      skipBlanks()
      guard let name = token() else { continue }
      guard take("="), parameters.count < maximum else { return nil }
      if let value = token() {
        parameters.append((name.lowercased(), Array(value.utf8)))
      } else if let value = quotedString(lenientBackslash: lenientBackslash) {
        parameters.append((name.lowercased(), value))
      } else {
        return nil
      }
    }
  }

  /// The elements of a list without the empty ones. An element is nil if `read` takes nothing of it
  /// or leaves a rest: so one malformed element spoils no other.
  ///
  /// - Parameter maximum: elements that are looked at.
  mutating func list<Element>(
    atMost maximum: Int, _ read: (inout FieldScanner) -> Element?
  ) -> [Element?] {
    var elements: [Element?] = []
    for _ in 0..<maximum {
      skipBlanks()
      if isAtEnd { break }
      if take(",") { continue }
      let element = read(&self)
      skipBlanks()
      let isWhole = isAtEnd || peek == UInt8(ascii: ",")
      skipElement()
      elements.append(isWhole ? element : nil)
    }
    return elements
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
