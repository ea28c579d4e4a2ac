import Foundation

/// What became of what the app has told; for logs, tests and settings screens.
///
/// ```swift
/// if event.kind == .userUnproven { print(event.code ?? "") }
/// ```
public struct PostilionEvent: Hashable, Sendable {
  /// What happened. A later release may know more of it.
  public struct Kind: RawRepresentable, Hashable, Sendable {
    /// The server has confirmed a report.
    public static let registered = Self(rawValue: "registered")
    /// The server has forgotten the installation, as the app wished.
    public static let removed = Self(rawValue: "removed")
    /// The secret was refused, or a backend made the installation with another token; a new
    /// installation takes the place of the old one.
    public static let renewed = Self(rawValue: "renewed")
    /// The server did not take the person without a good proof: call
    /// ``Postilion/setUser(_:proof:)`` with a new one.
    public static let userUnproven = Self(rawValue: "userUnproven")
    /// The server refused a report or a failure, and would refuse it again.
    public static let refused = Self(rawValue: "refused")
    /// The server took a report without a part of it, and would leave it out again. What the server
    /// had before stays.
    public static let leftOut = Self(rawValue: "leftOut")
    /// It is tried again later.
    public static let waiting = Self(rawValue: "waiting")

    /// Its word.
    public let rawValue: String

    /// The kind of a word.
    public init(rawValue: String) { self.rawValue = rawValue }
  }

  /// What happened.
  public var kind: Kind
  /// Why: a code of the HTTP contract, such as `identity_token_expired` or `too_long`, or the error
  /// of the system. `nil` if all went well.
  public var code: String?
  /// What was left out: its place in the body (RFC 6901), such as `/tag_changes/add/3`.
  public var pointer: String?

  /// An event.
  public init(_ kind: Kind, code: String? = nil, pointer: String? = nil) {
    self.kind = kind
    self.code = code
    self.pointer = pointer
  }
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
    switch kind {
    case .waiting: Self.mistakes.contains(code ?? "") ? .error : .info
    case .renewed, .userUnproven: .warning
    case .refused, .leftOut: .error
    default: .info
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
