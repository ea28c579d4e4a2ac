/// Why a database call failed.
///
/// `description` is for logs: the SQLSTATE and the server's primary message, never its detail,
/// which quotes rows. The edge decides by `code` what a client of the service may read.
public struct PostgresError: Error, Sendable, Equatable, CustomStringConvertible {
  public enum Code: Sendable, Hashable {
    /// The server refused the statement; its five-character SQLSTATE (Appendix A of its manual).
    case server(sqlState: String)
    /// There is no connection, or it broke before the answer came: the outcome is unknown unless
    /// `isSafeToRetry`.
    case disconnected
    /// The bounded queue of waiting statements is full.
    case overloaded
    /// The server sent a row that the statement's type does not describe: our own mistake.
    case decoding
    /// The client was used against its contract, or libpq refused a call.
    case misuse
    /// The server does not let the account in: the password is wrong or missing, it knows no such
    /// account or database, or no line of `pg_hba.conf` is for it. It goes on like this until
    /// somebody mends it.
    case login
    /// The schema is for newer programs: this one must write nothing, and wrote nothing.
    case outdated
  }

  public let code: Code
  /// The server's primary message or our own sentence; for logs only.
  public let message: String
  /// The constraint named by the server, for SQLSTATE class 23.
  public let constraint: String?
  /// Nothing of the call can have happened.
  public let isSafeToRetry: Bool

  public init(
    _ code: Code, _ message: String, constraint: String? = nil, isSafeToRetry: Bool = false
  ) {
    self.code = code
    self.message = message
    self.constraint = constraint
    self.isSafeToRetry = isSafeToRetry
  }

  /// Whether the call is known to have failed: nothing of it was done or will be.
  public var isSurelyUndone: Bool { code != .disconnected || isSafeToRetry }

  /// The SQLSTATE, when the server gave one.
  public var sqlState: String? {
    if case .server(let sqlState) = code { sqlState } else { nil }
  }

  /// The kind, the SQLSTATE and the message.
  public var description: String {
    switch code {
    case .server(let sqlState): "postgres \(sqlState): \(message)"
    case .disconnected: "postgres connection lost: \(message)"
    case .overloaded: "postgres queue full: \(message)"
    case .decoding: "postgres row not understood: \(message)"
    case .misuse: "postgres misuse: \(message)"
    case .login: "postgres refuses the login: \(message)"
    case .outdated: message
    }
  }
}
