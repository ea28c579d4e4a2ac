import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Sends requests over `URLSession`: no cookies, no cache, no redirects, and where the system can,
/// it waits for the network to be there.
public final class URLSessionTransport: PostilionTransport {
  private let session: URLSession
  private let exchanges = Exchanges()

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
    session = URLSession(configuration: configuration, delegate: exchanges, delegateQueue: nil)
  }

  // A session keeps its connections until it is told to end.
  deinit { session.finishTasksAndInvalidate() }

  /// Sends a request. A redirect is not followed, as the installation's secret would go to whomever
  /// it names: it is the answer.
  public func send(_ request: URLRequest) async throws -> TransportResponse {
    let task = session.dataTask(with: request)
    let (body, response) = try await exchanges.run(task)
    guard let response = response as? HTTPURLResponse else { throw URLError(.badServerResponse) }
    let wish = response.value(forHTTPHeaderField: "Retry-After").flatMap(TimeInterval.init)
    return TransportResponse(
      status: response.statusCode, retryAfter: wish.flatMap { $0.isFinite ? $0 : nil }, body: body)
  }
}

/// The requests of a session. Foundation's own `data(for:)` follows redirects on Linux, whatever a
/// delegate says.
private final class Exchanges: NSObject, URLSessionDataDelegate, Sendable {
  private struct Exchange {
    var body = Data()
    let outcome = Awaited<Result<Data, any Error>>()
  }

  private let underWay = Guarded<[Int: Exchange]>([:])

  func run(_ task: URLSessionDataTask) async throws -> (Data, URLResponse?) {
    let number = task.taskIdentifier
    let exchange = Exchange()
    underWay.withLock { $0[number] = exchange }
    defer { underWay.withLock { _ = $0.removeValue(forKey: number) } }
    let body = try await exchange.outcome.result(of: task)
    return (body, task.response)
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask,
    willPerformHTTPRedirection response: HTTPURLResponse, newRequest: URLRequest,
    completionHandler: @escaping @Sendable (URLRequest?) -> Void
  ) {
    completionHandler(nil)
  }

  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    underWay.withLock { $0[dataTask.taskIdentifier]?.body.append(data) }
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?
  ) {
    guard let exchange = underWay.withLock({ $0[task.taskIdentifier] }) else { return }
    exchange.outcome.end(with: error.map { .failure($0) } ?? .success(exchange.body))
  }
}
