internal import ASCII

/// How the body of a request is delimited (RFC 9112 section 6.3).
public enum BodyFraming: Sendable, Hashable {
  case none
  /// As many bytes as `Content-Length` says; may be 0.
  case length(Int)
  /// `Transfer-Encoding: chunked`.
  case chunked
}

/// A request line and its fields: the bytes as received, and the places of the parts in them.
///
/// Strings are made when asked for, anew each time: keep what you need more than once.
public struct RequestHead: Sendable {
  public let method: Method
  /// The version of the client; the answer is always HTTP/1.1.
  public let version: HTTPVersion
  public let framing: BodyFraming
  /// Whether the client lets the connection serve another request (RFC 9112 section 9.3).
  public let keepAlive: Bool
  /// Whether the client waits for `100 Continue` before its body (RFC 9110 section 10.1.1).
  public let expectsContinue: Bool

  let bytes: [UInt8]
  let fields: [FieldRange]
  let targetRange: Range<Int>
  let pathRange: Range<Int>

  /// The path, raw: not percent-decoded, without the query; `/` for an absolute URI without one,
  /// and for `CONNECT`.
  public var path: String { pathRange.isEmpty ? "/" : text(pathRange) }

  /// The text behind the first `?`, raw; nil without a `?`.
  public var query: String? {
    let start = pathRange.upperBound + 1
    return start > targetRange.upperBound ? nil : text(start..<targetRange.upperBound)
  }

  /// The value of a field; nil when absent.
  ///
  /// Several lines of one name are joined by `, ` as RFC 9110 section 5.3 has it. So a field that
  /// may come only once, such as `Authorization`, does not silently become its first or last line.
  ///
  /// - Parameter lowercasedName: the name in lower case.
  public func header(_ lowercasedName: StaticString) -> String? {
    bytes.withUnsafeBufferPointer { buffer in
      var value: String?
      for field in fields where field.isNamed(lowercasedName, in: buffer) {
        let next = String(decoding: buffer[field.value], as: UTF8.self)
        if value == nil { value = next } else { value? += ", " + next }
      }
      return value
    }
  }

  /// All names and values as received, in order.
  public var allHeaders: [(name: String, value: String)] {
    fields.map { (text($0.name), text($0.value)) }
  }

  private func text(_ range: Range<Int>) -> String {
    String(decoding: bytes[range], as: UTF8.self)
  }
}

extension RequestHead {
  /// A head made by hand, for a request that comes through no socket.
  ///
  /// It is written out and parsed like any other, so that both ways in refuse the same things.
  /// `Host: localhost` is added when there is no `Host`.
  public init(
    method: Method, target: String, fields: [(String, String)] = [],
    limits: HTTPLimits = .standard
  ) throws(ParseError) {
    var text = "\(method.name) \(target) HTTP/1.1\r\n"
    if !fields.contains(where: { $0.0.lowercased() == "host" }) {
      text += "Host: localhost\r\n"
    }
    for (name, value) in fields { text += "\(name): \(value)\r\n" }
    text += "\r\n"
    var parser = RequestParser(limits: limits)
    parser.append(Array(text.utf8))
    guard case .head(let head) = try parser.next(), parser.bufferedBytes == 0 else {
      throw .malformed("malformed_head", "The method, target or a field holds a line break.")
    }
    self = head
  }
}

/// Where a field's name and value are, counted from the first byte of the head.
struct FieldRange: Sendable {
  private let nameStart: UInt32
  private let nameEnd: UInt32
  private let valueStart: UInt32
  private let valueEnd: UInt32

  init(name: Range<Int>, value: Range<Int>) {
    nameStart = UInt32(name.lowerBound)
    nameEnd = UInt32(name.upperBound)
    valueStart = UInt32(value.lowerBound)
    valueEnd = UInt32(value.upperBound)
  }

  var name: Range<Int> { Int(nameStart)..<Int(nameEnd) }
  var value: Range<Int> { Int(valueStart)..<Int(valueEnd) }

  func isNamed(_ lowercased: StaticString, in bytes: Bytes) -> Bool {
    equalsIgnoringCase(bytes, name, lowercased)
  }
}

extension RequestHead {
  /// The credentials of `Authorization: Bearer …`, the scheme in any case (RFC 9110 section 11.4);
  /// nil with another scheme, and without the field.
  public var bearerCredentials: String? {
    guard let field = header("authorization") else { return nil }
    var scanner = FieldScanner(field.utf8)
    guard scanner.token()?.lowercased() == "bearer", scanner.take(" ") else { return nil }
    scanner.skipBlanks()
    return String(decoding: scanner.text { _ in false }, as: UTF8.self)
  }

  /// Whether the answer may be compressed by gzip (RFC 9110 section 12.5.3).
  ///
  ///     br, GZIP; q=0.5     yes        gzip;q=0, *     no        *     no: it names none
  public func acceptsGzip(limits: HTTPLimits = .standard) -> Bool {
    guard let field = header("accept-encoding") else { return false }
    var scanner = FieldScanner(field.utf8)
    return scanner.list(atMost: limits.acceptElements) { scanner -> Bool? in
      guard scanner.token()?.lowercased() == "gzip",
        let parameters = scanner.parameters(atMost: limits.mediaTypeParameters)
      else { return nil }
      let quality = parameters.first { $0.name == "q" }?.value
      return fieldWeight(quality.map { String(decoding: $0, as: UTF8.self) }) ?? 0 > 0
    }.contains(true)
  }
}

/// A `qvalue` in thousandths: `0`, `1`, `0.5`, `1.000` (RFC 9110 section 12.4.2); 1 unless given,
/// nil when it is malformed.
func fieldWeight(_ text: String?) -> Int? {
  guard let text else { return 1_000 }
  guard 1...5 ~= text.utf8.count else { return nil }
  let digits = Array(text.utf8)
  guard digits.count == 1 || digits[1] == UInt8(ascii: ".") else { return nil }
  var weight = 0
  for index in [0, 2, 3, 4] {
    let digit = index < digits.count ? digits[index] : UInt8(ascii: "0")
    guard digit.isASCIIDigit else { return nil }
    weight = weight * 10 + Int(digit - UInt8(ascii: "0"))
  }
  return weight <= 1_000 ? weight : nil
}
