internal import ASCII

/// A request head as it grows line by line: its ranges, and what its fields decide.
///
/// Smuggled requests use heads that can be read in two ways, so this is strict: one `Host`, one way
/// to delimit the body. RFC 9112 section 6.3 allows to collapse equal `Content-Length` lines. Here
/// they are refused: no sound client sends them, and a proxy that forwards them may have read
/// another one.
struct HeadDraft {
  let line: RequestLine
  private var fields: [FieldRange] = []
  private var hasHost = false
  private var contentLength: Int?
  private var hasTransferEncoding = false
  private var isChunked = false
  private var hasOtherCoding = false
  private var asksClose = false
  private var asksKeepAlive = false
  private var asksContinue = false

  init(_ line: RequestLine) {
    self.line = line
    // Browsers send about a dozen; most clients fewer. One allocation serves them.
    fields.reserveCapacity(12)
  }

  var fieldCount: Int { fields.count }

  /// Takes a field line; ranges count from the head's first byte, which `bytes` begins with.
  mutating func add(_ bytes: Bytes, _ range: Range<Int>) throws(ParseError) {
    let field = try FieldLine(bytes, range)
    fields.append(FieldRange(name: field.name, value: field.value))
    switch field.name.count {
    case 4 where equalsIgnoringCase(bytes, field.name, "host"):
      try takeHost(bytes, field.value)
    case 6 where equalsIgnoringCase(bytes, field.name, "expect"):
      try takeExpect(bytes, field.value)
    case 10 where equalsIgnoringCase(bytes, field.name, "connection"):
      Self.eachElement(bytes, field.value) { element in
        if equalsIgnoringCase(bytes, element, "close") { asksClose = true }
        if equalsIgnoringCase(bytes, element, "keep-alive") { asksKeepAlive = true }
      }
    case 14 where equalsIgnoringCase(bytes, field.name, "content-length"):
      try takeContentLength(bytes, field.value)
    case 17 where equalsIgnoringCase(bytes, field.name, "transfer-encoding"):
      try takeTransferEncoding(bytes, field.value)
    default: break
    }
  }

  /// The head, now that its empty line has come.
  func finish(_ bytes: Bytes) throws(ParseError) -> RequestHead {
    if line.version == .http11, !hasHost {
      throw .malformed("missing_host", "An HTTP/1.1 request needs a Host field.")
    }
    let framing = try framing()
    var keepAlive = !asksClose
    if line.version == .http10 { keepAlive = keepAlive && asksKeepAlive }
    return RequestHead(
      method: line.method, version: line.version, framing: framing, keepAlive: keepAlive,
      expectsContinue: asksContinue && framing != .none && framing != .length(0)
        && line.version == .http11,
      bytes: Array(bytes), fields: fields, targetRange: line.target, pathRange: line.path)
  }

  private func framing() throws(ParseError) -> BodyFraming {
    guard hasTransferEncoding else { return contentLength.map { .length($0) } ?? .none }
    guard contentLength == nil else {
      throw .malformed(
        "conflicting_framing", "Content-Length and Transfer-Encoding must not come together.")
    }
    guard line.version == .http11 else {
      throw .malformed("transfer_encoding_in_http10", "HTTP/1.0 has no Transfer-Encoding.")
    }
    guard isChunked else {
      throw .malformed("malformed_transfer_encoding", "The last transfer coding must be chunked.")
    }
    guard !hasOtherCoding else {
      throw ParseError(
        .notImplemented, "unsupported_transfer_coding", "The only transfer coding is chunked.")
    }
    return .chunked
  }

  private mutating func takeHost(_ bytes: Bytes, _ value: Range<Int>) throws(ParseError) {
    guard !hasHost else { throw .malformed("repeated_host", "There is more than one Host field.") }
    guard isHost(bytes, value) else {
      throw .malformed("malformed_host", "Host is not a host name with an optional port.")
    }
    hasHost = true
  }

  private mutating func takeExpect(_ bytes: Bytes, _ value: Range<Int>) throws(ParseError) {
    guard equalsIgnoringCase(bytes, value, "100-continue") else {
      throw ParseError(
        .expectationFailed, "unknown_expectation", "The only expectation met is 100-continue.")
    }
    asksContinue = true
  }

  private mutating func takeContentLength(_ bytes: Bytes, _ value: Range<Int>) throws(ParseError) {
    guard contentLength == nil else {
      throw .malformed("repeated_content_length", "There is more than one Content-Length field.")
    }
    var length = 0
    var overflow = value.isEmpty
    for index in value {
      guard bytes[index].isASCIIDigit else {
        overflow = true
        break
      }
      let (tens, high) = length.multipliedReportingOverflow(by: 10)
      let (sum, low) = tens.addingReportingOverflow(Int(bytes[index] &- 0x30))
      length = sum
      overflow = overflow || high || low
    }
    guard !overflow else {
      throw .malformed("malformed_content_length", "Content-Length is not one decimal number.")
    }
    contentLength = length
  }

  private mutating func takeTransferEncoding(
    _ bytes: Bytes, _ value: Range<Int>
  ) throws(ParseError) {
    hasTransferEncoding = true
    var codingAfterChunked = false
    // RFC 9110 section 5.6.1 lets a list have empty elements. A proxy in front may take `chunked,`
    // for chunked or for an unknown coding, and no sound client sends it.
    guard !Self.hasEmptyElement(bytes, value) else {
      throw .malformed("malformed_transfer_encoding", "Transfer-Encoding has an empty element.")
    }
    Self.eachElement(bytes, value) { element in
      if isChunked { codingAfterChunked = true }
      if equalsIgnoringCase(bytes, element, "chunked") {
        isChunked = true
      } else {
        hasOtherCoding = true
      }
    }
    guard !codingAfterChunked else {
      throw .malformed(
        "malformed_transfer_encoding", "chunked must be the last transfer coding, and only once.")
    }
  }

  private static func hasEmptyElement(_ bytes: Bytes, _ value: Range<Int>) -> Bool {
    var isEmpty = true
    for index in value {
      if bytes[index] == UInt8(ascii: ",") {
        if isEmpty { return true }
        isEmpty = true
      } else if !bytes[index].isBlank {
        isEmpty = false
      }
    }
    return isEmpty
  }

  /// The elements of a comma-separated list, blanks trimmed, empty ones left out.
  private static func eachElement(
    _ bytes: Bytes, _ value: Range<Int>, _ body: (Range<Int>) -> Void
  ) {
    var start = value.lowerBound
    while start < value.upperBound {
      var end = start
      while end < value.upperBound, bytes[end] != UInt8(ascii: ",") { end &+= 1 }
      let next = end + 1
      while start < end, bytes[start].isBlank { start &+= 1 }
      while end > start, bytes[end &- 1].isBlank { end &-= 1 }
      if start < end { body(start..<end) }
      start = next
    }
  }
}
