internal import CCurl

/// A client of HTTP/1.1 by libcurl, for one call at a time; a connection is kept for the next call.
/// A call holds its thread until it is over. ``HTTPTransfers`` is for many calls at once.
///
/// Certificates are verified by the system's authorities, those of `SSL_CERT_FILE`, or those of a
/// file. Proxies are those of `https_proxy` and its like. Only `http` and `https` are spoken.
public final class HTTPClient {
  private let curl: UnsafeMutableRawPointer?
  private let authorities: String?
  private let usesProxies: Bool

  /// libcurl's own state, made once.
  static let isReady = curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK

  /// A client without a connection.
  /// - Parameters:
  ///   - authorities: The path of a file with the certificates that are trusted, in PEM, instead of
  ///     the system's.
  ///   - usesProxies: Whether the proxies of the environment are used.
  public init(authorities: String? = nil, usesProxies: Bool = true) {
    curl = Self.isReady ? curl_easy_init() : nil
    self.authorities = authorities
    self.usesProxies = usesProxies
  }

  deinit { curl_easy_cleanup(curl) }

  /// Makes a call.
  /// - Parameter receive: Gets each piece of the answer's body, and says whether more is wanted.
  /// - Returns: The beginning of the answer, once all of it has come.
  public func perform(
    _ request: HTTPRequest,
    receive: @escaping (HTTPResponseHead, UnsafeRawBufferPointer) -> Bool
  ) throws(HTTPClientError) -> HTTPResponseHead {
    guard let curl else {
      throw HTTPClientError(cause: .transfer, description: "libcurl cannot be used")
    }
    let transfer = Transfer(request, by: curl, receive: receive)
    if let authorities { postilion_curl_set_text(curl, CURLOPT_CAINFO, authorities) }
    if !usesProxies { postilion_curl_set_text(curl, CURLOPT_PROXY, "") }
    let code = withExtendedLifetime(transfer) {
      // The handle forgets what it pointed to, and keeps its connection.
      defer { curl_easy_reset(curl) }
      return curl_easy_perform(curl)
    }
    guard code == CURLE_OK else { throw transfer.error(code) }
    return transfer.head
  }
}
