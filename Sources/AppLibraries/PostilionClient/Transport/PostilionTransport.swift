import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The answer of a server.
public struct TransportResponse: Sendable {
  /// The HTTP status, 100 to 599.
  public var status: Int
  /// The seconds of a `Retry-After` field; `nil` without one.
  public var retryAfter: TimeInterval?
  /// The whole body.
  public var body: Data

  /// An answer.
  public init(status: Int, retryAfter: TimeInterval? = nil, body: Data = Data()) {
    self.status = status
    self.retryAfter = retryAfter
    self.body = body
  }
}

/// What sends the requests; `URLSession` unless an app brings its own.
public protocol PostilionTransport: Sendable {
  /// Sends a request and waits for the whole answer.
  /// - Throws: Whatever kept it from an answer; it may have arrived all the same.
  func send(_ request: URLRequest) async throws -> TransportResponse
}
