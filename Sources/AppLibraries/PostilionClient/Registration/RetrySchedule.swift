import Foundation

/// When to try again after a failure: back-off with full jitter, and the server's own wish.
struct RetrySchedule: Codable, Hashable, Sendable {
  /// The longest first pause; it doubles with each failure.
  static let firstPause: TimeInterval = 2
  /// The longest pause of the back-off.
  static let longestPause: TimeInterval = 900
  /// The longest pause that a server may ask for.
  static let longestWish: TimeInterval = 3600

  /// Failures in a row.
  private(set) var failures = 0
  /// Nothing is sent before.
  private(set) var notBefore: Date?
  /// Until when the server asked for a pause: that part of it a new launch does not end.
  private(set) var wishedUntil: Date?

  /// A schedule without failures.
  init() {}

  /// Reads what any release has stored.
  init(from decoder: any Decoder) throws {
    let schedule = try decoder.container(keyedBy: CodingKeys.self)
    failures = schedule.stored(.failures, or: 0)
    notBefore = schedule.stored(.notBefore, or: nil)
    wishedUntil = schedule.stored(.wishedUntil, or: nil)
  }

  /// How long to wait still; `nil` when it may go at once. A clock that was set back does not make
  /// the pause longer than any pause can be.
  func pause(at now: Date) -> TimeInterval? {
    guard let notBefore else { return nil }
    let pause = notBefore.timeIntervalSince(now)
    let longest = wishedUntil == nil ? Self.longestPause : Self.longestWish
    return pause > 0 && pause <= longest ? pause : nil
  }

  /// Something failed.
  /// - Parameters:
  ///   - wish: The server's `Retry-After` in seconds.
  ///   - random: Between 0 and 1.
  mutating func failed(at now: Date, wish: TimeInterval?, random: Double) {
    let bound = min(Self.longestPause, Self.firstPause * pow(2, Double(min(failures, 20))))
    failures += 1
    wishedUntil = wish.map { now.addingTimeInterval(min(max(0, $0), Self.longestWish)) }
    // Jitter also behind the server's wish: not all that were told a time come at that time.
    let pause = max(0, wish ?? 0) + bound * random
    notBefore = now.addingTimeInterval(min(pause, Self.longestWish))
  }

  /// Something went well.
  mutating func succeeded() { self = RetrySchedule() }

  /// The person has done something, or there is a new token: it is tried at once, whatever was
  /// wished. What fails then waits as long as it would have.
  mutating func hurry() {
    notBefore = nil
    wishedUntil = nil
  }

  /// The network may be there again: what failed for lack of it may be tried at once.
  mutating func wake() {
    let until = wishedUntil
    self = RetrySchedule()
    wishedUntil = until
    notBefore = until
  }
}
