internal import CCurl
internal import Glibc

/// One post on its way, with libcurl's handle and what libcurl's callbacks read and write.
final class PostTransfer {
  let curl: UnsafeMutableRawPointer
  let completion: HTTPTransfers.Completion
  private let transfer: Transfer
  private let allows: (String) -> Bool
  private var fields: UnsafeMutablePointer<curl_slist>?
  private var isRefused = false
  private var isConnected = false

  /// `nil` when libcurl has no more handles.
  init?(
    _ post: HTTPPost, _ allows: @escaping (String) -> Bool,
    _ completion: @escaping HTTPTransfers.Completion
  ) {
    guard let curl = curl_easy_init() else { return nil }
    self.curl = curl
    self.allows = allows
    self.completion = completion
    var ignored = 0
    transfer = Transfer(HTTPRequest("POST", post.address)) { _, piece in
      ignored += piece.count
      return ignored <= HTTPClientLimits.ignoredBodyBytes
    }
    for field in post.fields { fields = curl_slist_append(fields, "\(field.name): \(field.value)") }
    set(post)
  }

  deinit {
    curl_easy_cleanup(curl)
    curl_slist_free_all(fields)
  }

  private func set(_ post: HTTPPost) {
    postilion_curl_set_text(curl, CURLOPT_URL, post.address)
    postilion_curl_allow_http_alone(curl)
    postilion_curl_set_text(curl, CURLOPT_PROXY, "")
    // The others need the thread meanwhile.
    _ = postilion_curl_leave_lookups(curl)
    // No signal handlers: other threads are at work.
    postilion_curl_set_number(curl, CURLOPT_NOSIGNAL, 1)
    postilion_curl_set_number(curl, CURLOPT_FOLLOWLOCATION, 0)
    postilion_curl_set_number(curl, CURLOPT_CONNECTTIMEOUT, post.connectSeconds)
    postilion_curl_set_number(curl, CURLOPT_TIMEOUT, post.totalSeconds)
    postilion_curl_set_number(curl, CURLOPT_POST, 1)
    postilion_curl_set_size(curl, CURLOPT_POSTFIELDSIZE_LARGE, Int64(post.body.count))
    // Copied, and so sent again by libcurl itself when a kept connection turns out to be dead.
    var body = post.body
    postilion_curl_set_pointer(curl, CURLOPT_COPYPOSTFIELDS, &body)
    postilion_curl_set_pointer(curl, CURLOPT_HTTPHEADER, fields)
    let head = Unmanaged.passUnretained(transfer).toOpaque()
    postilion_curl_set_callback(curl, CURLOPT_HEADERFUNCTION, Transfer.takeField)
    postilion_curl_set_pointer(curl, CURLOPT_HEADERDATA, head)
    postilion_curl_set_callback(curl, CURLOPT_WRITEFUNCTION, Transfer.takePiece)
    postilion_curl_set_pointer(curl, CURLOPT_WRITEDATA, head)
    postilion_curl_set_opener(curl, Self.open)
    postilion_curl_set_pointer(
      curl, CURLOPT_OPENSOCKETDATA, Unmanaged.passUnretained(self).toOpaque())
  }

  /// What libcurl's code means.
  func result(_ code: CURLcode) -> HTTPPostResult {
    if code == CURLE_OK { return .answered(transfer.head) }
    // Nobody wants the body, and the head says all: it may be long, slow, or broken.
    if transfer.head.status >= 200 { return .answered(transfer.head) }
    return isRefused && !isConnected ? .refused : .failed(transfer.error(code).kind)
  }

  /// Opens a socket for an address, if it is allowed; libcurl tries the next one otherwise.
  private static let open: curl_opensocket_callback = { context, _, address in
    guard let context, let address else { return -1 }
    let transfer = Unmanaged<PostTransfer>.fromOpaque(context).takeUnretainedValue()
    let (family, length) = (address.pointee.family, address.pointee.addrlen)
    let name = withUnsafePointer(to: &address.pointee.addr) { numericHost($0, length) }
    guard let name, transfer.allows(name) else {
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
