internal import ASCII

/// Why a body is not `multipart/form-data`.
public struct MultipartError: Error, Sendable, Hashable {
  /// Stable, machine-readable, `snake_case`.
  public let code: String
  /// One sentence for the developer of the client.
  public let detail: String
}

/// `multipart/form-data` (RFC 7578, RFC 2046 section 5.1).
public enum MultipartForm {
  /// One field or file of a form.
  public struct Part: Sendable, Hashable {
    /// The form field's name.
    public let name: String
    /// The file's name as sent, which may be a path and means nothing to our file system.
    public let filename: String?
    /// `Content-Type` as sent.
    public let contentType: String?
    /// The bytes, a slice of the whole body.
    public let body: ArraySlice<UInt8>
  }

  /// The parts of a body, in order.
  ///
  /// Bytes before the first boundary and behind the last one are ignored.
  ///
  /// - Parameter boundary: of the content type's `boundary` parameter, 1 to 70 characters.
  public static func parse(
    _ body: [UInt8], boundary: String, limits: HTTPLimits = .standard
  ) throws(MultipartError) -> [Part] {
    guard 1...70 ~= boundary.utf8.count, boundary.utf8.allSatisfy({ 0x20...0x7E ~= $0 }) else {
      throw MultipartError(
        code: "malformed_boundary", detail: "The boundary is not 1 to 70 ASCII characters.")
    }
    let delimiter = Array("\r\n--\(boundary)".utf8)
    // The first boundary may be at the very beginning, without a line break before it.
    var cursor: Int
    if body.starts(with: delimiter.dropFirst(2)) {
      cursor = delimiter.count - 2
    } else if let first = find(delimiter, in: body, from: 0) {
      cursor = first + delimiter.count
    } else {
      throw MultipartError(
        code: "missing_boundary", detail: "The boundary of the content type is not in the body.")
    }
    var parts: [Part] = []
    while true {
      if body[cursor...].starts(with: "--".utf8) { return parts }
      while cursor < body.count, body[cursor].isBlank { cursor += 1 }
      guard body[cursor...].starts(with: "\r\n".utf8) else {
        throw MultipartError(
          code: "malformed_boundary_line", detail: "A boundary is followed by something else.")
      }
      guard parts.count < limits.multipartParts else {
        throw MultipartError(code: "too_many_parts", detail: "The body has too many parts.")
      }
      // From the line break of the boundary's own line, so that a part may be empty.
      guard let end = find(delimiter, in: body, from: cursor) else {
        throw MultipartError(
          code: "missing_final_boundary", detail: "The body ends before its final boundary.")
      }
      parts.append(try part(body, cursor + 2..<max(end, cursor + 2), limits))
      cursor = end + delimiter.count
    }
  }

  private static func part(
    _ body: [UInt8], _ range: Range<Int>, _ limits: HTTPLimits
  ) throws(MultipartError) -> Part {
    var name: String?
    var filename: String?
    var contentType: String?
    var cursor = range.lowerBound
    while true {
      let room = min(range.upperBound, range.lowerBound + limits.multipartHeaderBytes)
      guard let lineEnd = body[cursor..<room].firstIndex(of: 0x0A), lineEnd > cursor,
        body[lineEnd - 1] == 0x0D
      else {
        throw MultipartError(
          code: "malformed_part_header",
          detail: "The header of a part is too long, or not lines that end with CRLF.")
      }
      let line = cursor..<lineEnd - 1
      cursor = lineEnd + 1
      if line.isEmpty { break }
      let (field, value) = try fieldLine(body, line)
      switch field {
      case "content-disposition": (name, filename) = try disposition(value, limits)
      case "content-type": contentType = String(decoding: value, as: UTF8.self)
      case "content-transfer-encoding": try checkTransferEncoding(value)
      default: break
      }
    }
    guard let name else {
      throw MultipartError(
        code: "missing_part_name", detail: "A part has no Content-Disposition with a name.")
    }
    return Part(
      name: name, filename: filename, contentType: contentType,
      body: body[cursor..<range.upperBound])
  }

  private static func fieldLine(
    _ body: [UInt8], _ line: Range<Int>
  ) throws(MultipartError) -> (name: String, value: ArraySlice<UInt8>) {
    do {
      let field = try body.withUnsafeBufferPointer { bytes throws(ParseError) in
        try FieldLine(bytes, line)
      }
      return (String(decoding: body[field.name], as: UTF8.self).lowercased(), body[field.value])
    } catch {
      throw MultipartError(code: "malformed_part_header", detail: error.detail)
    }
  }

  /// `form-data; name="…"; filename="…"`.
  ///
  /// curl escapes a quote with a backslash, browsers write `%22` (WHATWG HTML 4.10.22.8); a
  /// backslash before anything else is itself. `filename*` is forbidden here and not looked at.
  private static func disposition(
    _ value: ArraySlice<UInt8>, _ limits: HTTPLimits
  ) throws(MultipartError) -> (name: String?, filename: String?) {
    let malformed = MultipartError(
      code: "malformed_disposition",
      detail: "The Content-Disposition of a part is not form-data with quoted UTF-8 parameters.")
    var scanner = FieldScanner(value)
    guard scanner.token()?.lowercased() == "form-data",
      let parameters = scanner.parameters(
        atMost: limits.mediaTypeParameters, lenientBackslash: true),
      scanner.isAtEnd
    else { throw malformed }
    var name: String?
    var filename: String?
    for parameter in parameters where parameter.name == "name" || parameter.name == "filename" {
      guard let text = String(validating: parameter.value, as: UTF8.self) else { throw malformed }
      let unescaped = unescaped(text)
      if parameter.name == "name" {
        guard name == nil else { throw malformed }
        name = unescaped
      } else {
        guard filename == nil else { throw malformed }
        filename = unescaped
      }
    }
    return (name, filename)
  }

  /// The text with a quotation mark for each `%22`, by its bytes.
  private static func unescaped(_ text: String) -> String {
    let bytes = Array(text.utf8).replacing("%22".utf8, with: CollectionOfOne(UInt8(ascii: "\"")))
    return String(decoding: bytes, as: UTF8.self)
  }

  /// RFC 7578 section 4.7 deprecates `Content-Transfer-Encoding`; encodings that change nothing
  /// pass.
  private static func checkTransferEncoding(
    _ value: ArraySlice<UInt8>
  ) throws(MultipartError) {
    let encoding = String(decoding: value, as: UTF8.self)
    guard ["7bit", "8bit", "binary"].contains(where: encoding.isWord) else {
      throw MultipartError(
        code: "unsupported_part_encoding", detail: "A part has a Content-Transfer-Encoding.")
    }
  }

  private static func find(_ needle: [UInt8], in body: [UInt8], from start: Int) -> Int? {
    body.withUnsafeBufferPointer { bytes in
      var index = start
      let last = bytes.count - needle.count
      while index <= last {
        // Every match has a line feed as its second byte.
        guard let lineFeed = firstLineFeed(in: bytes, index &+ 1..<bytes.count) else { return nil }
        index = lineFeed &- 1
        if index <= last, (0..<needle.count).allSatisfy({ bytes[index &+ $0] == needle[$0] }) {
          return index
        }
        index &+= 1
      }
      return nil
    }
  }
}
