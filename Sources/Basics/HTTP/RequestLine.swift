internal import ASCII

/// `method SP request-target SP HTTP-version` (RFC 9112 section 3), exactly one space each.
///
///     GET /v1/apps?limit=5 HTTP/1.1      path /v1/apps, query limit=5
///     GET http://host/v1/apps HTTP/1.1   path /v1/apps (section 3.2.2)
///     OPTIONS * HTTP/1.1                 path *
///     CONNECT host:443 HTTP/1.1          path /, which takes no CONNECT (section 3.2.3)
struct RequestLine {
  let method: Method
  let version: HTTPVersion
  let target: Range<Int>
  let path: Range<Int>

  init(
    _ bytes: Bytes, _ line: Range<Int>, limits: HTTPLimits = .standard
  ) throws(ParseError) {
    let methodEnd = try Self.methodEnd(bytes, line)
    // RFC 9112 section 3: the method is longer than any that is implemented.
    guard methodEnd - line.lowerBound <= limits.methodBytes else {
      throw ParseError(.notImplemented, "method_too_long", "There is no method of that length.")
    }
    method = Self.method(bytes, line.lowerBound..<methodEnd)

    let targetStart = methodEnd + 1
    let (targetEnd, pathEnd) = try Self.targetEnd(bytes, targetStart..<line.upperBound)
    target = targetStart..<targetEnd
    version = try Self.version(bytes, targetEnd + 1..<line.upperBound)

    switch bytes[targetStart] {
    case UInt8(ascii: "/"):
      path = targetStart..<pathEnd
    case UInt8(ascii: "*") where target.count == 1 && method == .options:
      path = target
    case _ where method == .other("CONNECT") && pathEnd == targetEnd && isHost(bytes, target):
      path = targetEnd..<targetEnd
    default:
      path = try Self.absolutePath(bytes, target, pathEnd: pathEnd)
    }
  }

  private static func methodEnd(_ bytes: Bytes, _ line: Range<Int>) throws(ParseError) -> Int {
    var index = line.lowerBound
    while index < line.upperBound, ByteSet.token.contains(bytes[index]) { index &+= 1 }
    guard index > line.lowerBound, index < line.upperBound, bytes[index] == 0x20 else {
      throw .malformed("malformed_method", "The method is not a token followed by one space.")
    }
    return index
  }

  private static func method(_ bytes: Bytes, _ range: Range<Int>) -> Method {
    func `is`(_ name: StaticString) -> Bool {
      for offset in 0..<range.count
      where bytes[range.lowerBound &+ offset] != name.utf8Start[offset] {
        return false
      }
      return true
    }
    switch range.count {
    case 3 where `is`("GET"): return .get
    case 3 where `is`("PUT"): return .put
    case 4 where `is`("POST"): return .post
    case 4 where `is`("HEAD"): return .head
    case 5 where `is`("PATCH"): return .patch
    case 6 where `is`("DELETE"): return .delete
    case 7 where `is`("OPTIONS"): return .options
    default: return .other(String(decoding: bytes[range], as: UTF8.self))
    }
  }

  /// The places of the space after the target and of its first `?`. Without a `?` both are the
  /// space.
  private static func targetEnd(
    _ bytes: Bytes, _ rest: Range<Int>
  ) throws(ParseError) -> (target: Int, path: Int) {
    var index = rest.lowerBound
    var pathEnd: Int?
    while index < rest.upperBound, bytes[index] != 0x20 {
      let byte = bytes[index]
      guard byte > 0x20, byte < 0x7F, byte != UInt8(ascii: "#") else {
        throw .malformed(
          "malformed_target", "The request target holds a byte that must be percent-encoded.")
      }
      if byte == UInt8(ascii: "?"), pathEnd == nil { pathEnd = index }
      index &+= 1
    }
    guard index > rest.lowerBound else {
      throw .malformed("malformed_target", "The request target is missing.")
    }
    guard index < rest.upperBound else {
      throw .malformed("malformed_version", "The request line has no HTTP version.")
    }
    return (index, pathEnd ?? index)
  }

  private static func version(
    _ bytes: Bytes, _ range: Range<Int>
  ) throws(ParseError) -> HTTPVersion {
    let start = range.lowerBound
    let prefix: StaticString = "HTTP/"
    guard range.count == 8, (0..<5).allSatisfy({ bytes[start + $0] == prefix.utf8Start[$0] }),
      bytes[start + 5].isASCIIDigit, bytes[start + 6] == UInt8(ascii: "."),
      bytes[start + 7].isASCIIDigit
    else { throw .malformed("malformed_version", "The HTTP version is malformed.") }
    switch (bytes[start + 5], bytes[start + 7]) {
    case (UInt8(ascii: "1"), UInt8(ascii: "1")): return .http11
    case (UInt8(ascii: "1"), UInt8(ascii: "0")): return .http10
    default:
      throw ParseError(
        .httpVersionNotSupported, "unsupported_version", "Only HTTP/1.1 and HTTP/1.0 are spoken.")
    }
  }

  /// The path of `http://authority/path`; the authority must be well formed and decides nothing.
  private static func absolutePath(
    _ bytes: Bytes, _ target: Range<Int>, pathEnd: Int
  ) throws(ParseError) -> Range<Int> {
    let start = target.lowerBound
    for prefix in ["http://", "https://"] as [StaticString] {
      let authority = start + prefix.utf8CodeUnitCount
      guard authority < pathEnd, equalsIgnoringCase(bytes, start..<authority, prefix) else {
        continue
      }
      var end = authority
      while end < pathEnd, bytes[end] != UInt8(ascii: "/") { end += 1 }
      guard end > authority, isHost(bytes, authority..<end) else { break }
      return end..<pathEnd
    }
    throw .malformed(
      "malformed_target", "The request target is neither a path nor an http or https URI.")
  }
}

/// Whether bytes are `uri-host [ ":" port ]` (RFC 9110 section 7.2). An empty host is one.
func isHost(_ bytes: Bytes, _ range: Range<Int>) -> Bool {
  var index = range.lowerBound
  if index < range.upperBound, bytes[index] == UInt8(ascii: "[") {
    index += 1
    let start = index
    while index < range.upperBound, bytes[index] != UInt8(ascii: "]") {
      let byte = bytes[index]
      guard byte.hexDigit != nil || byte == UInt8(ascii: ":") || byte == UInt8(ascii: ".") else {
        return false
      }
      index += 1
    }
    guard index > start, index < range.upperBound else { return false }
    index += 1
  } else {
    while index < range.upperBound, ByteSet.registeredName.contains(bytes[index]) { index &+= 1 }
  }
  guard index < range.upperBound else { return true }
  guard bytes[index] == UInt8(ascii: ":") else { return false }
  index += 1
  while index < range.upperBound, bytes[index].isASCIIDigit { index &+= 1 }
  return index == range.upperBound
}
