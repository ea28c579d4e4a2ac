internal import ASCII

/// `chunk-size [ chunk-ext ]` (RFC 9112 section 7.1).
///
///     1a                 26 bytes
///     5;name="a;b"       5 bytes, an extension that is ignored
///
/// The optional "bad" whitespace around extensions is refused: senders must not make it, and
/// parsers that disagree on it have been smuggled past.
struct ChunkLine {
  let size: Int
  let extensionBytes: Int

  init(_ bytes: Bytes, _ line: Range<Int>) throws(ParseError) {
    var index = line.lowerBound
    var size: UInt64 = 0
    while index < line.upperBound, let digit = bytes[index].hexDigit {
      size = size << 4 | UInt64(digit)
      index += 1
    }
    guard 1...16 ~= index - line.lowerBound, let size = Int(exactly: size) else {
      throw .malformed("malformed_chunk_size", "A chunk size is not 1 to 16 hexadecimal digits.")
    }
    self.size = size
    extensionBytes = line.upperBound - index
    guard extensionBytes > 0 else { return }
    var scanner = FieldScanner(bytes[index..<line.upperBound])
    while scanner.take(";") {
      guard scanner.token() != nil else { break }
      if scanner.take("="), scanner.token() == nil, scanner.quotedString() == nil { break }
      if scanner.isAtEnd { return }
    }
    throw .malformed("malformed_chunk_extension", "A chunk size is followed by something else.")
  }
}

/// Checks a trailer line, which is then dropped; fields that frame or route have no place there
/// (RFC 9110 section 6.5.1).
func checkTrailer(_ bytes: Bytes, _ line: Range<Int>) throws(ParseError) {
  let field = try FieldLine(bytes, line)
  let forbidden: [StaticString] = [
    "content-length", "transfer-encoding", "host", "connection", "expect", "te", "trailer",
    "upgrade",
  ]
  for name in forbidden where equalsIgnoringCase(bytes, field.name, name) {
    throw .malformed("forbidden_trailer", "A trailer field frames or routes the message.")
  }
}
