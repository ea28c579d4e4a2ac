internal import CCurl

/// One call on its way: what libcurl's callbacks read and write.
final class Transfer {
  private(set) var head = HTTPResponseHead(status: 0, fields: [])
  /// The body's length: -1 when nobody knows it, `nil` when there is no body.
  let length: Int64?
  /// Whether the body could be sent again.
  let canRepeat: Bool
  private let next: (UnsafeMutableRawBufferPointer) -> Int?
  private let receive: (HTTPResponseHead, UnsafeRawBufferPointer) -> Bool
  private var headBytes = 0
  private var isStopped = false
  private var message = [CChar](repeating: 0, count: Int(CURL_ERROR_SIZE))

  init(
    _ request: HTTPRequest,
    _ receive: @escaping (HTTPResponseHead, UnsafeRawBufferPointer) -> Bool
  ) {
    self.receive = receive
    switch request.body {
    case .none: (length, canRepeat, next) = (nil, true, { _ in 0 })
    case .bytes(let bytes):
      var sent = 0
      length = Int64(bytes.count)
      canRepeat = false
      next = { buffer in
        let piece = bytes[sent..<min(bytes.count, sent + buffer.count)]
        buffer.copyBytes(from: piece)
        sent += piece.count
        return piece.count
      }
    case .stream(let known, let next):
      length = known.map { Int64($0) } ?? -1
      canRepeat = false
      self.next = next
    }
  }

  /// Lends the place where libcurl says what went wrong.
  func withMessage(
    _ body: (UnsafeMutablePointer<CChar>?) -> CURLcode
  ) -> CURLcode {
    var place = message
    defer { message = place }
    return place.withUnsafeMutableBufferPointer { body($0.baseAddress) }
  }

  /// What libcurl's code means for the caller.
  func error(_ code: CURLcode) -> HTTPClientError {
    let words = message.withUnsafeBufferPointer { buffer in
      String(
        decoding: buffer.prefix { $0 != 0 }.lazy.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
    let description = words.isEmpty ? String(cString: curl_easy_strerror(code)) : words
    return HTTPClientError(kind: isStopped ? .stopped : kind(code), description: description)
  }

  private func kind(_ code: CURLcode) -> HTTPClientError.Kind {
    switch code {
    case CURLE_URL_MALFORMAT, CURLE_UNSUPPORTED_PROTOCOL: .address
    case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY, CURLE_COULDNT_CONNECT:
      .connection
    case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CONNECT_ERROR, CURLE_SSL_CACERT_BADFILE:
      .trust
    case CURLE_OPERATION_TIMEDOUT: .timeout
    default: .transfer
    }
  }

  private static func of(_ context: UnsafeMutableRawPointer?) -> Transfer? {
    context.map { Unmanaged<Transfer>.fromOpaque($0).takeUnretainedValue() }
  }

  /// A line of an answer's beginning: its status, a field, or the empty one.
  static let takeField: postilion_curl_callback = { bytes, _, count, context in
    guard let transfer = Transfer.of(context), let bytes else { return 0 }
    let line = String(decoding: UnsafeRawBufferPointer(start: bytes, count: count), as: UTF8.self)
    return transfer.take(line: line) ? count : 0
  }

  private func take(line: String) -> Bool {
    headBytes += line.utf8.count
    guard headBytes <= HTTPClientLimits.headBytes else { return false }
    if line.hasPrefix("HTTP/") {
      // An interim answer, or one that sends elsewhere, came before.
      let status = line.split(separator: " ").dropFirst().first.flatMap { Int($0) }
      head = HTTPResponseHead(status: status ?? 0, fields: [])
    } else if let colon = line.firstIndex(of: ":") {
      let value = line[line.index(after: colon)...].drop { $0 == " " || $0 == "\t" }
      head.fields.append((String(line[..<colon]), String(value.prefix { !$0.isNewline })))
    }
    return true
  }

  /// A piece of the answer's body.
  static let takePiece: postilion_curl_callback = { bytes, _, count, context in
    guard let transfer = Transfer.of(context), let bytes else { return 0 }
    let piece = UnsafeRawBufferPointer(start: bytes, count: count)
    guard transfer.receive(transfer.head, piece) else {
      transfer.isStopped = true
      return 0
    }
    return count
  }

  /// Room for a piece of the request's body.
  static let giveBytes: postilion_curl_callback = { bytes, size, count, context in
    let stop = Int(CURL_READFUNC_ABORT)
    guard let transfer = Transfer.of(context), let bytes else { return stop }
    let room = UnsafeMutableRawBufferPointer(start: bytes, count: size * count)
    guard let given = transfer.next(room) else {
      transfer.isStopped = true
      return stop
    }
    return given
  }
}
