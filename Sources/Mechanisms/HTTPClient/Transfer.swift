internal import CCurl
internal import Glibc

/// One call on its way: libcurl's handle with all that it needs to know of the call, and what its
/// callbacks read and write.
///
/// The handle points to this object, so the object must live until the handle is reset or freed.
/// One thread at a time uses it: the thread that makes it may hand it on to the thread that moves
/// it.
final class Transfer: @unchecked Sendable {
  let curl: UnsafeMutableRawPointer
  private(set) var head = HTTPResponseHead(status: 0, fields: [])
  /// Whether the empty line behind the last field of an answer has come; the answer may be interim.
  private(set) var isHeadWhole = false
  /// Room where libcurl says what went wrong.
  private let message = UnsafeMutablePointer<CChar>.allocate(capacity: Int(CURL_ERROR_SIZE))
  private let next: (UnsafeMutableRawBufferPointer) -> Int?
  private let allows: ((String) -> Bool)?
  private let receive: (HTTPResponseHead, UnsafeRawBufferPointer) -> Bool
  private var list: UnsafeMutablePointer<curl_slist>?
  private var headBytes = 0
  private var isStopped = false
  private var isRefused = false
  private var isConnected = false

  /// - Parameters:
  ///   - curl: A handle that is new or reset; it is the caller's.
  ///   - allows: Whether a connection may go to an address; `nil` when it may go to all of them,
  ///     and through proxies.
  ///   - receive: Gets each piece of the answer's body, and says whether more is wanted.
  init(
    _ request: HTTPRequest, by curl: UnsafeMutableRawPointer, allows: ((String) -> Bool)? = nil,
    receive: @escaping (HTTPResponseHead, UnsafeRawBufferPointer) -> Bool
  ) {
    self.curl = curl
    self.allows = allows
    self.receive = receive
    next = if case .stream(let next) = request.body { next } else { { _ in 0 } }
    message.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
    for field in request.fields { list = curl_slist_append(list, "\(field.name): \(field.value)") }
    set(request)
    set(request.body)
    if allows != nil { setChecks() }
  }

  deinit {
    curl_slist_free_all(list)
    message.deallocate()
  }

  private func set(_ request: HTTPRequest) {
    postilion_curl_set_text(curl, CURLOPT_URL, request.address)
    postilion_curl_set_text(curl, CURLOPT_CUSTOMREQUEST, request.method)
    postilion_curl_set_pointer(curl, CURLOPT_HTTPHEADER, list)
    postilion_curl_allow_http_alone(curl)
    // No signal handlers: other threads are at work.
    postilion_curl_set_number(curl, CURLOPT_NOSIGNAL, 1)
    postilion_curl_set_number(curl, CURLOPT_FOLLOWLOCATION, 0)
    postilion_curl_set_number(curl, CURLOPT_CONNECTTIMEOUT, request.connectSeconds)
    postilion_curl_set_number(curl, CURLOPT_LOW_SPEED_LIMIT, 1)
    postilion_curl_set_number(curl, CURLOPT_LOW_SPEED_TIME, HTTPClientLimits.idleSeconds)
    postilion_curl_set_number(curl, CURLOPT_TIMEOUT, request.totalSeconds ?? 0)
    postilion_curl_set_number(curl, CURLOPT_BUFFERSIZE, HTTPClientLimits.pieceBytes)
    postilion_curl_set_pointer(curl, CURLOPT_ERRORBUFFER, message)
    postilion_curl_set_callback(curl, CURLOPT_HEADERFUNCTION, Self.takeField)
    postilion_curl_set_pointer(curl, CURLOPT_HEADERDATA, context)
    postilion_curl_set_callback(curl, CURLOPT_WRITEFUNCTION, Self.takePiece)
    postilion_curl_set_pointer(curl, CURLOPT_WRITEDATA, context)
  }

  private func set(_ body: HTTPRequest.Body) {
    switch body {
    case .none: return
    case .bytes(var bytes):
      postilion_curl_set_number(curl, CURLOPT_POST, 1)
      postilion_curl_set_size(curl, CURLOPT_POSTFIELDSIZE_LARGE, Int64(bytes.count))
      // Copied, and so sent again by libcurl itself when a kept connection turns out to be dead.
      postilion_curl_set_pointer(curl, CURLOPT_COPYPOSTFIELDS, &bytes)
    case .stream:
      postilion_curl_set_number(curl, CURLOPT_UPLOAD, 1)
      postilion_curl_set_size(curl, CURLOPT_INFILESIZE_LARGE, -1)
      postilion_curl_set_callback(curl, CURLOPT_READFUNCTION, Self.giveBytes)
      postilion_curl_set_pointer(curl, CURLOPT_READDATA, context)
      // A kept connection may be dead, and the bytes that were read of the stream would be lost
      // with it.
      postilion_curl_set_number(curl, CURLOPT_FRESH_CONNECT, 1)
    }
  }

  /// Makes libcurl ask whether an address is allowed before it connects to the address.
  private func setChecks() {
    postilion_curl_set_text(curl, CURLOPT_PROXY, "")
    // The thread has other calls to move.
    _ = postilion_curl_leave_lookups(curl)
    postilion_curl_set_opener(curl, Self.open)
    postilion_curl_set_pointer(curl, CURLOPT_OPENSOCKETDATA, context)
  }

  private var context: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }

  /// What libcurl's code means for the caller.
  func error(_ code: CURLcode) -> HTTPClientError {
    let words = String(cString: message)
    let description = words.isEmpty ? String(cString: curl_easy_strerror(code)) : words
    let isRefused = isRefused && !isConnected
    return HTTPClientError(
      cause: isRefused ? .refused : isStopped ? .stopped : cause(code), description: description)
  }

  private func cause(_ code: CURLcode) -> HTTPClientError.Cause {
    switch code {
    // libcurl also says "unsupported protocol" if a server answers that speaks no HTTP.
    case CURLE_URL_MALFORMAT, CURLE_UNSUPPORTED_PROTOCOL:
      number(CURLINFO_REQUEST_SIZE) == 0 ? .address : .transfer
    case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY, CURLE_COULDNT_CONNECT,
      CURLE_INTERFACE_FAILED, CURLE_PROXY:
      .connection
    case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CONNECT_ERROR, CURLE_SSL_CACERT_BADFILE,
      CURLE_SSL_CERTPROBLEM, CURLE_SSL_CIPHER, CURLE_SSL_ENGINE_NOTFOUND,
      CURLE_SSL_ENGINE_SETFAILED, CURLE_SSL_ENGINE_INITFAILED, CURLE_SSL_CRL_BADFILE,
      CURLE_SSL_ISSUER_ERROR, CURLE_SSL_PINNEDPUBKEYNOTMATCH, CURLE_SSL_INVALIDCERTSTATUS,
      CURLE_SSL_CLIENTCERT, CURLE_USE_SSL_FAILED:
      .trust
    case CURLE_OPERATION_TIMEDOUT: .timeout
    default: .transfer
    }
  }

  /// A number that libcurl knows of the call.
  private func number(_ info: CURLINFO) -> Int {
    var value = 0
    return postilion_curl_get_number(curl, info, &value) == CURLE_OK ? value : 0
  }

  private static func of(_ context: UnsafeMutableRawPointer?) -> Transfer? {
    context.map { Unmanaged<Transfer>.fromOpaque($0).takeUnretainedValue() }
  }

  /// A line of an answer's beginning: its status, a field, or the empty one.
  private static let takeField: postilion_curl_callback = { bytes, _, count, context in
    guard let transfer = Transfer.of(context), let bytes else { return 0 }
    return transfer.take(line: UnsafeRawBufferPointer(start: bytes, count: count)) ? count : 0
  }

  private func take(line: UnsafeRawBufferPointer) -> Bool {
    headBytes += line.count
    guard headBytes <= HTTPClientLimits.headBytes else { return false }
    let words = line.prefix { $0 != UInt8(ascii: "\r") && $0 != UInt8(ascii: "\n") }
    if words.starts(with: "HTTP/".utf8) {
      // If an answer came before, it was an interim one. libcurl has read the status, and reads it
      // in every spelling that servers have: `HTTP/1.1 200` without a blank behind it, too.
      head = HTTPResponseHead(status: number(CURLINFO_RESPONSE_CODE), fields: [])
      isHeadWhole = false
    } else if let colon = words.firstIndex(of: UInt8(ascii: ":")) {
      let value = words[(colon + 1)...].drop {
        $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t")
      }
      head.fields.append(
        (String(decoding: words[..<colon], as: UTF8.self), String(decoding: value, as: UTF8.self)))
    } else if words.isEmpty {
      isHeadWhole = true
    }
    return true
  }

  /// A piece of the answer's body.
  private static let takePiece: postilion_curl_callback = { bytes, _, count, context in
    guard let transfer = Transfer.of(context), let bytes else { return 0 }
    let piece = UnsafeRawBufferPointer(start: bytes, count: count)
    guard transfer.receive(transfer.head, piece) else {
      transfer.isStopped = true
      return 0
    }
    return count
  }

  /// Room for a piece of the request's body.
  private static let giveBytes: postilion_curl_callback = { bytes, size, count, context in
    let stop = Int(CURL_READFUNC_ABORT)
    guard let transfer = Transfer.of(context), let bytes else { return stop }
    let room = UnsafeMutableRawBufferPointer(start: bytes, count: size * count)
    guard let given = transfer.next(room) else {
      transfer.isStopped = true
      return stop
    }
    return given
  }

  /// Opens a socket for an address, if it is allowed; libcurl tries the next one otherwise.
  private static let open: curl_opensocket_callback = { context, _, address in
    guard let transfer = Transfer.of(context), let address else { return -1 }
    let (family, length) = (address.pointee.family, address.pointee.addrlen)
    let name = withUnsafePointer(to: &address.pointee.addr) { numericHost($0, length) }
    guard let name, transfer.allows?(name) == true else {
      transfer.isRefused = true
      return -1
    }
    transfer.isConnected = true
    return socket(
      family, address.pointee.socktype | Int32(SOCK_CLOEXEC.rawValue), address.pointee.protocol)
  }
}

/// The text of an address, without the zone of a link.
private func numericHost(_ address: UnsafePointer<sockaddr>, _ length: UInt32) -> String? {
  var text = [CChar](repeating: 0, count: Int(NI_MAXHOST))
  let status = getnameinfo(
    address, length, &text, socklen_t(text.count), nil, 0, NI_NUMERICHOST)
  guard status == 0 else { return nil }
  let bytes = text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
  return String(decoding: bytes.prefix { $0 != UInt8(ascii: "%") }, as: UTF8.self)
}
