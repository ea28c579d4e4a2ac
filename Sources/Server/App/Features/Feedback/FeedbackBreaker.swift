import Postgres
import Registry

/// Stops believing refusals that come in a burst. In a burst, the sender has mixed up environments
/// or the topics of two apps, and nothing is wrong with the tokens.
///
/// - **Closed:** refused tokens are counted, each once a minute, and so are the pushes that were
///   taken. A burst opens the breaker, and the tokens that led to it are restored.
/// - **Open:** refusals change nothing. Ten minutes without a refusal close the breaker. An admin
///   can close it, too: then bursts are believed for an hour, as the admin knows better.
struct FeedbackBreaker: Sendable, Equatable {
  /// A token that was refused, and when.
  struct Refusal: Sendable, Hashable {
    var token: DeviceToken
    var at: Timestamp
  }

  /// The refusals of the last minute that took tokens out of use while the breaker was closed.
  var refusals: [Refusal] = []
  /// The pushes that were taken.
  var accepted: RecentCount
  var openedAt: Timestamp?
  /// The time of the last refusal of a token that was in use.
  var lastRefusedAt: Timestamp?
  var trustedUntil: Timestamp?

  /// A breaker without reports.
  init(at now: Timestamp) { accepted = RecentCount(since: now) }

  /// Something that goes into the log, the metrics and the changes.
  enum Event: String, Sendable, CaseIterable {
    case opened
    case closed
  }

  /// The consequences of a report.
  struct Ruling: Sendable, Equatable {
    /// Whether refusals change nothing.
    var isOpen = false
    /// The tokens to put back in use: those that refusals took out of use in the last minute. Each
    /// report to an open breaker returns them again, in case an earlier attempt has failed.
    var restored: Set<DeviceToken> = []
    var events: [Event] = []
  }

  /// Whether refusals change nothing at a time.
  func isOpen(at now: Timestamp) -> Bool {
    restsSince?.goesOn(for: Limits.breakerRest, at: now) ?? false
  }

  /// When it closes if no token is refused until then; `nil` when it is closed.
  var closesAt: Timestamp? { restsSince?.advanced(by: Limits.breakerRest) }

  /// Since when it is open without a refusal; `nil` when it is closed.
  private var restsSince: Timestamp? { openedAt.map { max($0, lastRefusedAt ?? $0) } }

  /// Whether bursts are believed at a time.
  func isTrusting(at now: Timestamp) -> Bool {
    trustedUntil?.advanced(by: .zero - Limits.breakerTrust)
      .goesOn(for: Limits.breakerTrust, at: now) ?? false
  }

  /// Counts tokens that were refused and would go out of use, and pushes that were taken since the
  /// last report.
  mutating func report(
    refused tokens: Set<DeviceToken>, accepted count: Int, at now: Timestamp
  ) -> Ruling {
    var ruling = Ruling()
    accepted.add(count, at: now)
    if openedAt != nil, !isOpen(at: now) {
      openedAt = nil
      ruling.events.append(.closed)
    }
    guard !tokens.isEmpty, !isTrusting(at: now) else {
      ruling.isOpen = openedAt != nil
      return ruling
    }
    lastRefusedAt = now
    refusals.removeAll { !$0.at.goesOn(for: Limits.breakerWindow, at: now) }
    let known = Set(refusals.map(\.token))
    if openedAt == nil, isBurst(known.union(tokens).count, at: now) {
      openedAt = now
      ruling.events.append(.opened)
    }
    if openedAt != nil {
      ruling.isOpen = true
      ruling.restored = known
    } else {
      refusals += tokens.subtracting(known).map { Refusal(token: $0, at: now) }
      refusals = refusals.suffix(Limits.breakerMemory)
    }
    return ruling
  }

  private func isBurst(_ count: Int, at now: Timestamp) -> Bool {
    count >= Limits.breakerTokens
      && count * 100 >= (count + accepted.value(at: now)) * Limits.breakerPercent
  }

  /// Closes the breaker for an admin.
  mutating func close(at now: Timestamp) -> [Event] {
    let wasOpen = isOpen(at: now)
    openedAt = nil
    refusals = []
    trustedUntil = now.advanced(by: Limits.breakerTrust)
    return wasOpen ? [.closed] : []
  }
}

/// The approximate count of the last minute, from two numbers: the count of the present minute, and
/// the count of the minute before. Of the minute before, only the part counts that is not over a
/// minute ago.
///
/// Example: 60 in the minute from 12:00, and 10 since 12:01. At 12:01:15 the last minute began at
/// 12:00:15, so three quarters of the 60 count: 45 + 10 = 55.
struct RecentCount: Sendable, Hashable {
  /// When the present minute started.
  var since: Timestamp
  /// The count since then.
  var count = 0
  /// The count of the minute before.
  var before = 0

  private static let window = Limits.breakerWindow.microseconds
  /// The largest count, whatever is stored.
  private static let most = Int(Int32.max)

  private static func bounded(_ stored: Int) -> Int { min(max(0, stored), most) }

  mutating func add(_ number: Int, at now: Timestamp) {
    var age = now.microseconds(since: since)
    // If the clock went back, a minute is over.
    if age < -Limits.clockDisorder.microseconds { age = Self.window }
    let passed = age / Self.window
    if passed > 0 {
      before = passed == 1 ? count : 0
      count = 0
      since = now.advanced(by: .microseconds(passed * Self.window - age))
    }
    (count, before) = (Self.bounded(count), Self.bounded(before))
    count = min(count + number, Self.most)
  }

  func value(at now: Timestamp) -> Int {
    var later = self
    later.add(0, at: now)
    let passed = min(max(0, now.microseconds(since: later.since)), Self.window)
    return later.count + later.before * Int(Self.window - passed) / Int(Self.window)
  }
}
