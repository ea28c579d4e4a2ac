internal import CCurl

/// A client of HTTP/1.1 by libcurl, for one call at a time; a connection is kept for the next call.
/// A call holds its thread until it is over.
///
/// Certificates are verified by the system's authorities, or those of `SSL_CERT_FILE`. Proxies are
/// those of `https_proxy` and its like. Only `http` and `https` are spoken.
public final class HTTPClient {
  private let curl: UnsafeMutableRawPointer?

  /// libcurl's own state, made once.
  static let isReady = curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK

  /// A client without a connection.
  public init() { curl = Self.isReady ? curl_easy_init() : nil }

  deinit { curl_easy_cleanup(curl) }

  /// Makes a call.
  /// - Parameter receive: Gets each piece of the answer's body, and says whether more is wanted.
  /// - Returns: The beginning of the answer, once all of it has come.
  public func perform(
    _ request: HTTPRequest,
    receive: @escaping (HTTPResponseHead, UnsafeRawBufferPointer) -> Bool
  ) throws(HTTPClientError) -> HTTPResponseHead {
    guard let curl else {
      throw HTTPClientError(kind: .transfer, description: "libcurl cannot be used")
    }
    curl_easy_reset(curl)
    let transfer = Transfer(request, receive)
    let list = fieldList(request)
    defer { curl_slist_free_all(list) }
    postilion_curl_set_pointer(curl, CURLOPT_HTTPHEADER, list)
    let code = withExtendedLifetime(transfer) {
      set(request, transfer)
      return transfer.withMessage { message in
        postilion_curl_set_pointer(curl, CURLOPT_ERRORBUFFER, message)
        return curl_easy_perform(curl)
      }
    }
    // They point to what is gone now.
    postilion_curl_set_pointer(curl, CURLOPT_ERRORBUFFER, nil)
    guard code == CURLE_OK else { throw transfer.error(code) }
    return transfer.head
  }

  private func fieldList(_ request: HTTPRequest) -> UnsafeMutablePointer<curl_slist>? {
    var list: UnsafeMutablePointer<curl_slist>?
    for field in request.fields { list = curl_slist_append(list, "\(field.name): \(field.value)") }
    return list
  }

  private func set(_ request: HTTPRequest, _ transfer: Transfer) {
    let context = Unmanaged.passUnretained(transfer).toOpaque()
    postilion_curl_set_text(curl, CURLOPT_URL, request.address)
    postilion_curl_set_text(curl, CURLOPT_CUSTOMREQUEST, request.method)
    postilion_curl_allow_http_alone(curl)
    // No signal handlers: other threads are at work.
    postilion_curl_set_number(curl, CURLOPT_NOSIGNAL, 1)
    postilion_curl_set_number(curl, CURLOPT_FOLLOWLOCATION, request.redirects > 0 ? 1 : 0)
    postilion_curl_set_number(curl, CURLOPT_MAXREDIRS, request.redirects)
    postilion_curl_set_number(curl, CURLOPT_CONNECTTIMEOUT, request.connectSeconds)
    postilion_curl_set_number(curl, CURLOPT_LOW_SPEED_LIMIT, 1)
    postilion_curl_set_number(curl, CURLOPT_LOW_SPEED_TIME, request.idleSeconds)
    postilion_curl_set_number(curl, CURLOPT_TIMEOUT, request.totalSeconds ?? 0)
    postilion_curl_set_number(curl, CURLOPT_BUFFERSIZE, HTTPClientLimits.pieceBytes)
    postilion_curl_set_callback(curl, CURLOPT_HEADERFUNCTION, Transfer.takeField)
    postilion_curl_set_pointer(curl, CURLOPT_HEADERDATA, context)
    postilion_curl_set_callback(curl, CURLOPT_WRITEFUNCTION, Transfer.takePiece)
    postilion_curl_set_pointer(curl, CURLOPT_WRITEDATA, context)
    guard let length = transfer.length else { return }
    postilion_curl_set_number(curl, CURLOPT_UPLOAD, 1)
    postilion_curl_set_size(curl, CURLOPT_INFILESIZE_LARGE, length)
    postilion_curl_set_callback(curl, CURLOPT_READFUNCTION, Transfer.giveBytes)
    postilion_curl_set_pointer(curl, CURLOPT_READDATA, context)
    if !transfer.canRepeat {
      // A kept connection may be dead, and what was read of the stream would be lost with it.
      postilion_curl_set_number(curl, CURLOPT_FRESH_CONNECT, 1)
    }
  }
}
