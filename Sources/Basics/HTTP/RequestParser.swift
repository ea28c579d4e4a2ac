internal import ASCII

/// What the parser found next.
public enum RequestEvent: Sendable {
  /// A whole head.
  case head(RequestHead)
  /// A piece of the body, never empty; how a body falls into pieces depends on how it arrives.
  case body([UInt8])
  case end
}

/// Parses HTTP/1.1 requests from bytes that come in pieces of any size (RFC 9112).
///
/// Bytes go in by `append`, events come out of `next`. The parser is strict: bytes that two
/// implementations could read in two ways are an error, so that no proxy in front disagrees with us
/// about where a request ends. After an error, and after a request that closes the connection, the
/// parser takes no more: bytes behind such a request are never run.
public struct RequestParser: Sendable {
  private let limits: HTTPLimits
  private var state = State.idle(emptyLines: 0)
  private var buffer: [UInt8] = []
  /// The first byte that no event has told yet; within a head, the first byte of the head.
  private var start = 0
  /// The first byte of the line that is being read.
  private var lineStart = 0
  /// No line feed is between `lineStart` and here.
  private var scanned = 0
  private var keepAlive = true
  private var extensionBytes = 0

  private enum State: Sendable {
    /// Between requests. Leaves to `fields` at a request line.
    case idle(emptyLines: Int)
    /// Within the field lines. Leaves at the empty line, to the framing's state.
    case fields(HeadDraft, fieldsStart: Int)
    /// So many bytes of the body are missing; at 0, to `ended`.
    case length(Int)
    /// At a chunk-size line; to `chunkData`, and after the last chunk to `trailers`.
    case chunkSize
    /// So many bytes of the chunk are missing; at 0, to `chunkEnd`.
    case chunkData(Int)
    /// At the CRLF behind a chunk; to `chunkSize`.
    case chunkEnd
    /// Within trailer lines; at the empty one, to `ended`.
    case trailers(count: Int, bytes: Int)
    /// The end is to be told; then to `idle`, or to `closed` without keep-alive.
    case ended
    /// The last request of the connection is over. Final.
    case closed
    /// Final.
    case failed(ParseError)
  }

  /// A parser at the beginning of a connection.
  public init(limits: HTTPLimits = .standard) {
    self.limits = limits
  }

  /// Whether nothing of a request has arrived yet: the connection is idle.
  public var isBetweenRequests: Bool {
    switch state {
    case .idle: bufferedBytes == 0
    case .closed: true
    default: false
    }
  }

  /// Whether a head has begun to arrive and is not complete.
  public var isInHead: Bool {
    switch state {
    case .idle: bufferedBytes > 0
    case .fields: true
    default: false
    }
  }

  /// Whether a head is complete and the end of its request has not been told.
  public var isInBody: Bool {
    switch state {
    case .length, .chunkSize, .chunkData, .chunkEnd, .trailers, .ended: true
    case .idle, .fields, .closed, .failed: false
    }
  }

  /// Bytes taken that no event has told yet. Stop reading while there are many.
  public var bufferedBytes: Int { buffer.count - start }

  /// Bytes of memory that the parser keeps. Bytes of past events count until the next bytes come.
  public var keptBytes: Int { buffer.capacity }

  public mutating func append(_ bytes: UnsafeRawBufferPointer) {
    switch state {
    case .closed, .failed: return
    default: break
    }
    compact()
    buffer.append(contentsOf: bytes)
  }

  public mutating func append(_ bytes: [UInt8]) {
    bytes.withUnsafeBytes { append($0) }
  }

  /// The next event; nil when the parser needs more bytes for it.
  ///
  /// - Throws: the same error again and again, once the bytes are not a request we take.
  public mutating func next() throws(ParseError) -> RequestEvent? {
    do {
      return try step()
    } catch {
      state = .failed(error)
      release()
      throw error
    }
  }
}

extension RequestParser {
  private mutating func step() throws(ParseError) -> RequestEvent? {
    while true {
      switch state {
      case .idle(let emptyLines):
        guard try readRequestLine(emptyLines) else { return nil }
      case .fields:
        return try readFields().map { .head($0) }
      case .length(0):
        state = .ended
      case .length(let missing):
        guard let piece = takePiece(atMost: missing) else { return nil }
        state = .length(missing - piece.count)
        return .body(piece)
      case .chunkSize:
        guard try readChunkSize() else { return nil }
      case .chunkData(0):
        state = .chunkEnd
      case .chunkData(let missing):
        guard let piece = takePiece(atMost: missing) else { return nil }
        state = .chunkData(missing - piece.count)
        return .body(piece)
      case .chunkEnd:
        guard try readChunkEnd() else { return nil }
      case .trailers(let count, let bytes):
        guard try readTrailer(count, bytes) else { return nil }
      case .ended:
        state = keepAlive ? .idle(emptyLines: 0) : .closed
        if !keepAlive || bufferedBytes == 0 { release() }
        return .end
      case .closed:
        return nil
      case .failed(let error):
        throw error
      }
    }
  }

  private mutating func readRequestLine(_ emptyLines: Int) throws(ParseError) -> Bool {
    let tooLong = ParseError(
      .uriTooLong, "request_line_too_long", "The request line is longer than the server takes.")
    guard let line = try takeLine(atMost: limits.requestLineBytes, orThrow: tooLong) else {
      return false
    }
    guard !line.isEmpty else {
      guard emptyLines < limits.leadingEmptyLines else {
        throw .malformed("malformed_request_line", "There are empty lines and no request line.")
      }
      consume(upTo: lineStart)
      state = .idle(emptyLines: emptyLines + 1)
      return true
    }
    let requestLine = try withBytes(from: start) { bytes throws(ParseError) in
      try RequestLine(bytes, line, limits: limits)
    }
    state = .fields(HeadDraft(requestLine), fieldsStart: lineStart - start)
    return true
  }

  private mutating func readFields() throws(ParseError) -> RequestHead? {
    guard case .fields(var draft, let fieldsStart) = state else { return nil }
    // The draft is changed in place: meanwhile nothing else may hold it.
    state = .closed
    let tooLarge = ParseError(
      .requestHeaderFieldsTooLarge, "fields_too_large",
      "The header fields are larger or more than the server takes.")
    while true {
      let room = limits.headerBytes - (lineStart - start - fieldsStart) - 2
      guard let line = try takeLine(atMost: room, orThrow: tooLarge) else {
        state = .fields(draft, fieldsStart: fieldsStart)
        return nil
      }
      if line.isEmpty { break }
      guard draft.fieldCount < limits.headerCount else { throw tooLarge }
      try buffer.withUnsafeBufferPointer { bytes throws(ParseError) in
        try draft.add(Bytes(rebasing: bytes[start...]), line)
      }
    }
    let end = lineStart
    let head = try buffer.withUnsafeBufferPointer { bytes throws(ParseError) in
      try draft.finish(Bytes(rebasing: bytes[start..<end]))
    }
    consume(upTo: end)
    keepAlive = head.keepAlive
    extensionBytes = 0
    switch head.framing {
    case .none: state = .ended
    case .length(let length): state = .length(length)
    case .chunked: state = .chunkSize
    }
    return head
  }

  private mutating func readChunkSize() throws(ParseError) -> Bool {
    let tooLong = ParseError.malformed(
      "chunk_line_too_long", "A chunk-size line is longer than the server takes.")
    guard let line = try takeLine(atMost: limits.chunkLineBytes, orThrow: tooLong) else {
      return false
    }
    let chunk = try withBytes(from: start) { bytes throws(ParseError) in
      try ChunkLine(bytes, line)
    }
    extensionBytes += chunk.extensionBytes
    guard extensionBytes <= limits.chunkExtensionBytes else {
      throw .malformed("chunk_extensions_too_large", "The chunk extensions are too many.")
    }
    consume(upTo: lineStart)
    state = chunk.size == 0 ? .trailers(count: 0, bytes: 0) : .chunkData(chunk.size)
    return true
  }

  private mutating func readChunkEnd() throws(ParseError) -> Bool {
    let isCut = bufferedBytes > 0 && buffer[start] != 0x0D
    guard !isCut, bufferedBytes < 2 || buffer[start + 1] == 0x0A else {
      throw .malformed("malformed_chunk", "The data of a chunk is not followed by CRLF.")
    }
    guard bufferedBytes > 1 else { return false }
    consume(upTo: start + 2)
    state = .chunkSize
    return true
  }

  private mutating func readTrailer(_ count: Int, _ bytes: Int) throws(ParseError) -> Bool {
    let tooLarge = ParseError(
      .requestHeaderFieldsTooLarge, "trailers_too_large",
      "The trailer fields are larger or more than the server takes.")
    let room = limits.trailerBytes - bytes - 2
    guard let line = try takeLine(atMost: room, orThrow: tooLarge) else { return false }
    if line.isEmpty {
      state = .ended
    } else {
      guard count < limits.trailerCount else { throw tooLarge }
      try withBytes(from: start) { bytes throws(ParseError) in try checkTrailer(bytes, line) }
      state = .trailers(count: count + 1, bytes: bytes + lineStart - start)
    }
    consume(upTo: lineStart)
    return true
  }
}

extension RequestParser {
  /// The next line without its CRLF, counted from `start`, and steps behind it; nil when it is not
  /// complete.
  private mutating func takeLine(
    atMost maximum: Int, orThrow tooLong: @autoclosure () -> ParseError
  ) throws(ParseError) -> Range<Int>? {
    let end = buffer.count
    let found = buffer.withUnsafeBufferPointer { firstLineFeed(in: $0, scanned..<end) }
    guard let lineFeed = found else {
      scanned = end
      // One byte more may be the CR.
      if end - lineStart > maximum + 1 { throw tooLong() }
      return nil
    }
    let lineEnd = lineFeed - 1
    if lineEnd - lineStart > maximum { throw tooLong() }
    guard lineEnd >= lineStart, buffer[lineEnd] == 0x0D else {
      throw .malformed("bare_line_feed", "A line ends with LF instead of CRLF.")
    }
    let line = lineStart - start..<lineEnd - start
    lineStart = lineFeed + 1
    scanned = lineStart
    return line
  }

  private func withBytes<Result>(
    from start: Int, _ body: (Bytes) throws(ParseError) -> Result
  ) throws(ParseError) -> Result {
    try buffer.withUnsafeBufferPointer { bytes throws(ParseError) in
      try body(Bytes(rebasing: bytes[start...]))
    }
  }

  private mutating func takePiece(atMost maximum: Int) -> [UInt8]? {
    let count = min(maximum, bufferedBytes)
    guard count > 0 else { return nil }
    guard start > 0 || count < buffer.count else {
      // Nearly all pieces of a large body come here: the whole buffer is given away as it is.
      var piece: [UInt8] = []
      swap(&piece, &buffer)
      consume(upTo: 0)
      return piece
    }
    let piece = Array(buffer[start..<start + count])
    consume(upTo: start + count)
    // With nothing left, the buffer is released: a body that is slow to come keeps no old memory.
    if bufferedBytes == 0 { release() }
    return piece
  }

  private mutating func consume(upTo index: Int) {
    start = index
    lineStart = index
    scanned = index
  }

  /// Moves the bytes that are left to the front, so that the buffer holds only pending bytes.
  private mutating func compact() {
    guard start > 0 else { return }
    buffer.removeSubrange(0..<start)
    lineStart -= start
    scanned -= start
    start = 0
  }

  private mutating func release() {
    buffer.removeAll(keepingCapacity: buffer.capacity <= limits.idleBufferBytes)
    consume(upTo: 0)
  }
}

/// Why bytes are not a request that we take. The connection is closed after the answer, because
/// nobody knows where the next request would begin.
public struct ParseError: Error, Sendable, Hashable {
  /// The status to answer with.
  public let status: Status
  /// Stable, machine-readable, `snake_case`.
  public let code: String
  /// One sentence for the developer of the client; never bytes of the request.
  public let detail: String

  /// An error; the server adds its own, such as timeouts.
  public init(_ status: Status, _ code: String, _ detail: String) {
    self.status = status
    self.code = code
    self.detail = detail
  }

  /// A 400.
  static func malformed(_ code: String, _ detail: String) -> ParseError {
    ParseError(.badRequest, code, detail)
  }
}
