import Foundation

/// What became of what the app has told; for logs, tests and settings screens.
public enum PostilionEvent: Hashable, Sendable {
  /// The server has confirmed a report.
  case registered
  /// The server has forgotten the installation, as the app wished.
  case removed
  /// The secret was refused, or a backend made the installation with another token; a new
  /// installation takes the place of the old one.
  case renewed
  /// The server did not take the person without a good proof: call
  /// ``Postilion/setUser(_:proof:)`` with a new one. The code is one of the HTTP contract, such as
  /// `identity_token_expired`.
  case userUnproven(String)
  /// The server refused a report or a failure, and would refuse it again: the code of its problem.
  case refused(String)
  /// The server took a report without a part of it, and would leave it out again: its place in the
  /// body (RFC 6901), such as `/tag_changes/add/3`, and a code such as `too_long`. What the server
  /// had before stays.
  case leftOut(String, code: String)
  /// It is tried again later: the code of the server's problem, or the error of the system.
  case waiting(String)
}

extension PostilionEvent {
  /// How much an event needs somebody's attention.
  public enum Level: Int, Comparable, Sendable {
    /// All is as it should be, or becomes so by itself.
    case info
    /// The library has helped itself, or the app has to, as with a new proof.
    case warning
    /// A developer has to mend something: the same report would be refused again.
    case error

    /// `info` is less than `warning`, and that less than `error`.
    public static func < (one: Self, other: Self) -> Bool { one.rawValue < other.rawValue }
  }

  /// How much it needs somebody's attention.
  ///
  /// ```swift
  /// for await event in Postilion.shared.events where event.level >= .warning { … }
  /// ```
  public var level: Level {
    switch self {
    case .waiting(let code): Self.mistakes.contains(code) ? .error : .info
    case .registered, .removed: .info
    case .renewed, .userUnproven: .warning
    case .refused, .leftOut: .error
    }
  }

  /// The codes of a wrong key, a wrong app or a wrong address.
  private static let mistakes: Set = [
    "missing_key", "invalid_key", "key_kind_forbidden", "app_not_found", "not_found",
    "method_not_allowed",
  ]
}

extension Notification.Name {
  /// The system gave a device token. `userInfo` has it under `token`, as ``Postilion/text(of:)``
  /// writes it.
  ///
  /// The library posts this for code of yours that wants the token for itself, on the thread that
  /// told it. Nothing here is needed for the registration.
  public static var postilionDidRegister: Self { Self("org.postilion.didRegister") }

  /// The system gave no device token. `userInfo` has the error under `error`.
  public static var postilionDidFailToRegister: Self { Self("org.postilion.didFailToRegister") }
}

extension Postilion {
  /// A token as servers write it: two lower-case hexadecimal digits a byte, such as `a1b2…`.
  public static func text(of token: Data) -> String { token.hexadecimal }
}
