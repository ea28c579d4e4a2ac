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
    var continuation: CheckedContinuation<Data, any Error>?
    /// How it ended before anyone waited for it, as it does when the task is cancelled at once.
    var early: Result<Data, any Error>?
  }

  private let underWay = Guarded<[Int: Exchange]>([:])

  func run(_ task: URLSessionDataTask) async throws -> (Data, URLResponse?) {
    let number = task.taskIdentifier
    underWay.withLock { $0[number] = Exchange() }
    defer { underWay.withLock { _ = $0.removeValue(forKey: number) } }
    let body = try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let early = underWay.withLock { exchanges in
          if exchanges[number]?.early == nil { exchanges[number]?.continuation = continuation }
          return exchanges[number]?.early
        }
        if let early { continuation.resume(with: early) } else { task.resume() }
      }
    } onCancel: {
      task.cancel()
    }
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
    let number = task.taskIdentifier
    let (continuation, result) = underWay.withLock { exchanges in
      let result = error.map { .failure($0) } ?? Result.success(exchanges[number]?.body ?? Data())
      defer { exchanges[number]?.continuation = nil }
      if exchanges[number]?.continuation == nil { exchanges[number]?.early = result }
      return (exchanges[number]?.continuation, result)
    }
    continuation?.resume(with: result)
  }
}
