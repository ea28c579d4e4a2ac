/// A request method (RFC 9110 section 9): case-sensitive, and any token is one.
public enum Method: Sendable, Hashable {
  case get
  case head
  case post
  case put
  /// `PATCH` (RFC 5789).
  case patch
  case delete
  case options
  /// A valid token that names none of the above; no route answers it.
  case other(String)

  /// The method of a name, which the parser has found to be a token.
  public init(_ name: String) {
    switch name {
    case "GET": self = .get
    case "HEAD": self = .head
    case "POST": self = .post
    case "PUT": self = .put
    case "PATCH": self = .patch
    case "DELETE": self = .delete
    case "OPTIONS": self = .options
    default: self = .other(name)
    }
  }

  /// The name as it stands in the request line.
  public var name: String {
    switch self {
    case .get: "GET"
    case .head: "HEAD"
    case .post: "POST"
    case .put: "PUT"
    case .patch: "PATCH"
    case .delete: "DELETE"
    case .options: "OPTIONS"
    case .other(let name): name
    }
  }
}

/// The protocol versions that are spoken (RFC 9112 section 2.3).
public enum HTTPVersion: Sendable, Hashable {
  /// HTTP/1.0: no chunked bodies, and connections close unless both ask to keep them.
  case http10
  case http11
}
