internal import Glibc

/// A system call that failed: its name and `errno`.
public struct SystemError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The call's name, as in its manual page.
  public let call: String
  /// The value of `errno` after the call.
  public let number: Int32

  /// Takes `errno` of the call that has just failed.
  public init(_ call: String) {
    self.init(call, number: errno)
  }

  /// A failure with a known number.
  public init(_ call: String, number: Int32) {
    self.call = call
    self.number = number
  }

  /// Whether the peer made no progress in time.
  public var isTimeout: Bool { number == ETIMEDOUT }

  /// The call and the system's text, such as `bind: Address already in use`.
  public var description: String { "\(call): \(String(cString: strerror(number)))" }
}
