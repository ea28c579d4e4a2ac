/// A request of ours to a server.
public struct HTTPRequest {
  /// What is sent with a request.
  public enum Body {
    case none
    case bytes([UInt8])
    /// Bytes as they come. The function fills a part of the buffer and says how much: 0 at the end,
    /// `nil` to break off.
    case stream((UnsafeMutableRawBufferPointer) -> Int?)
  }

  /// The method, such as `GET`.
  public var method: String
  /// The whole address, with `http` or `https`.
  public var address: String
  public var fields: [(name: String, value: String)]
  public var body: Body
  /// How long a connection may take to come about, with TLS.
  public var connectSeconds = HTTPClientLimits.connectSeconds
  /// How long the whole call may take; `nil` for as long as bytes come or go.
  public var totalSeconds: Int?

  public init(
    _ method: String, _ address: String, fields: [(name: String, value: String)] = [],
    body: Body = .none
  ) {
    self.method = method
    self.address = address
    self.fields = fields
    self.body = body
  }
}

/// The beginning of an answer. A redirect (3xx) is not followed.
public struct HTTPResponseHead: Sendable {
  public var status: Int
  public var fields: [(name: String, value: String)]

  /// The value of a field, letter case aside.
  public subscript(_ name: String) -> String? {
    fields.first { $0.name.lowercased() == name.lowercased() }?.value
  }
}

/// Why there is no answer, or only a part of one.
public struct HTTPClientError: Error, Sendable, CustomStringConvertible {
  public enum Cause: Sendable {
    /// The text is no address.
    case address
    /// None of the addresses that the name leads to is allowed.
    case refused
    /// No connection came about.
    case connection
    /// The server could not prove that the address is its own.
    case trust
    case timeout
    /// The answer's reader, or the body's writer, wanted no more.
    case stopped
    /// The connection broke, or the answer was no HTTP.
    case transfer
  }

  public let cause: Cause
  /// libcurl's own words.
  public let description: String
}
