/// How the body of a response is delimited (RFC 9112 section 6.3).
public enum ResponseFraming: Sendable, Hashable {
  /// No body, and no field about one: statuses that forbid it.
  case none
  /// `Content-Length`.
  case length(Int)
  /// `Transfer-Encoding: chunked`.
  case chunked
  /// The end of the connection: a stream to an HTTP/1.0 client, which knows no chunks.
  case untilClose
}

/// What becomes of the connection after a response.
public enum ConnectionPersistence: Sendable, Hashable {
  /// It serves another request.
  case keepAlive
  case close
}

/// Turns responses into bytes (RFC 9112). Everything is appended to a buffer that the caller keeps.
///
/// The body follows the head unless the request was `HEAD` or the framing is `none`. For `length`
/// these are its bytes, for `chunked` chunks and the last chunk, for `untilClose` bytes and the end
/// of the connection.
public enum ResponseEncoder {
  /// How a response to a client of that version is delimited; the same for `HEAD`, whose answer
  /// keeps the fields and has no body.
  public static func framing(of response: Response, version: HTTPVersion) -> ResponseFraming {
    if response.status.forbidsBody { return .none }
    switch response.body {
    case .empty: return .length(0)
    case .bytes(let bytes), .fixed(let bytes): return .length(bytes.count)
    case .stream: return version == .http11 ? .chunked : .untilClose
    }
  }

  /// Writes the status line and the fields.
  ///
  /// - Parameters:
  ///   - date: an IMF-fixdate of 29 bytes, see `HTTPDate`.
  ///   - connection: `untilClose` closes whatever this says.
  ///   - version: of the client; HTTP/1.0 has to be told that a connection is kept.
  public static func head(
    of response: Response, framing: ResponseFraming, date: [UInt8],
    connection: ConnectionPersistence, version: HTTPVersion = .http11, into buffer: inout [UInt8]
  ) {
    appendStatusLine(response.status, to: &buffer)
    // The Content-Type says what an answer is; no browser is to guess (Fetch, section 3.7).
    buffer.append("X-Content-Type-Options: nosniff\r\nDate: ")
    buffer.append(contentsOf: date)
    switch framing {
    case .none, .untilClose:
      buffer.append("\r\n")
    case .length(let length):
      buffer.append("\r\nContent-Length: ")
      buffer.appendDecimal(length)
      buffer.append("\r\n")
    case .chunked:
      buffer.append("\r\nTransfer-Encoding: chunked\r\n")
    }
    if connection == .close || framing == .untilClose {
      buffer.append("Connection: close\r\n")
    } else if version == .http10 {
      buffer.append("Connection: keep-alive\r\n")
    }
    for field in response.fields.fields {
      buffer.append(contentsOf: field.name.utf8)
      buffer.append(": ")
      buffer.append(contentsOf: field.value.utf8)
      buffer.append("\r\n")
    }
    buffer.append("\r\n")
  }

  /// Writes a chunk; nothing for no bytes, as an empty chunk would be the last.
  public static func encodeChunk(_ bytes: [UInt8], into buffer: inout [UInt8]) {
    guard !bytes.isEmpty else { return }
    buffer.reserveCapacity(buffer.count + bytes.count + 20)
    buffer.append(contentsOf: String(bytes.count, radix: 16).utf8)
    buffer.append("\r\n")
    buffer.append(contentsOf: bytes)
    buffer.append("\r\n")
  }

  /// Writes the last chunk, without trailers.
  public static func lastChunk(into buffer: inout [UInt8]) {
    buffer.append("0\r\n\r\n")
  }

  /// Writes the interim answer to `Expect: 100-continue`.
  public static func continueLine(into buffer: inout [UInt8]) {
    buffer.append("HTTP/1.1 100 Continue\r\n\r\n")
  }

  /// The status lines of nearly all answers are constants, one copy each; the rest are put
  /// together.
  private static func appendStatusLine(_ status: Status, to buffer: inout [UInt8]) {
    switch status.code {
    case 200: buffer.append("HTTP/1.1 200 OK\r\n")
    case 201: buffer.append("HTTP/1.1 201 Created\r\n")
    case 204: buffer.append("HTTP/1.1 204 No Content\r\n")
    case 404: buffer.append("HTTP/1.1 404 Not Found\r\n")
    default:
      buffer.append("HTTP/1.1 ")
      buffer.appendDecimal(status.code)
      buffer.append(" ")
      buffer.append(contentsOf: status.reason.utf8)
      buffer.append("\r\n")
    }
  }
}

extension [UInt8] {
  @inline(__always)
  fileprivate mutating func append(_ text: StaticString) {
    append(contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
  }

  fileprivate mutating func appendDecimal(_ number: Int) {
    if 0..<10 ~= number {
      append(UInt8(ascii: "0") + UInt8(number))
    } else {
      append(contentsOf: String(number).utf8)
    }
  }
}
