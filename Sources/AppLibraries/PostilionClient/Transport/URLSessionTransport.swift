import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Sends requests over `URLSession`: no cookies, no cache, and where the system can, it waits for
/// the network to be there.
public final class URLSessionTransport: PostilionTransport {
  private let session: URLSession

  /// A transport with a session of its own.
  public init() {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.timeoutIntervalForRequest = 30
    configuration.timeoutIntervalForResource = 120
    configuration.httpCookieStorage = nil
    configuration.urlCache = nil
    #if canImport(Darwin)
      configuration.waitsForConnectivity = true
    #endif
    session = URLSession(configuration: configuration)
  }

  // A session keeps its connections until it is told to end.
  deinit { session.finishTasksAndInvalidate() }

  /// Sends a request; redirects are followed as `URLSession` does.
  public func send(_ request: URLRequest) async throws -> TransportResponse {
    let (data, response) = try await session.data(for: request)
    guard let response = response as? HTTPURLResponse else { throw URLError(.badServerResponse) }
    let wish = response.value(forHTTPHeaderField: "Retry-After").flatMap(TimeInterval.init)
    return TransportResponse(
      status: response.statusCode, retryAfter: wish.flatMap { $0.isFinite ? $0 : nil }, body: data)
  }
}
