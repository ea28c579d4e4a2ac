/// A `POST` of ours to a server, of which only the head of the answer matters.
public struct HTTPPost: Sendable {
  /// The whole address, with `http` or `https`.
  public var address: String
  /// Fields in order.
  public var fields: [(name: String, value: String)]
  /// The body.
  public var body: [UInt8]
  /// How long a connection may take to come about, with TLS.
  public var connectSeconds = HTTPClientLimits.connectSeconds
  /// How long all of it may take.
  public var totalSeconds: Int

  /// A post.
  public init(
    _ address: String, fields: [(name: String, value: String)], body: [UInt8], totalSeconds: Int
  ) {
    self.address = address
    self.fields = fields
    self.body = body
    self.totalSeconds = totalSeconds
  }
}

/// What became of a ``HTTPPost``.
public enum HTTPPostResult: Sendable {
  /// The server answered; one that sends elsewhere (3xx) is not followed.
  case answered(HTTPResponseHead)
  /// None of the addresses that the name leads to is allowed.
  case refused
  /// There was no answer.
  case failed(HTTPClientError.Kind)
}
