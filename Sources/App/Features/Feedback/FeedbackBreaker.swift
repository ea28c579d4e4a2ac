import Postgres
import Registry

/// Stops believing refusals when they come in a burst: then the sender took one environment for the
/// other, or one app's topic for another's, and the tokens are well.
///
/// Closed: refused tokens are counted, each once within a minute, beside the pushes that were
/// taken. A burst opens it; the tokens that led to it are restored. Open: refusals change nothing.
/// Ten minutes without one close it; so does an admin, who is believed to know better: for an hour
/// bursts are trusted.
struct FeedbackBreaker: Sendable, Equatable {
  /// A token that was refused, and when.
  struct Refusal: Sendable, Hashable {
    var token: DeviceToken
    var at: Timestamp
  }

  /// The refusals of the last minute that took tokens out of use.
  var refusals: [Refusal] = []
  /// The pushes that were taken.
  var accepted: RecentCount
  var openedAt: Timestamp?
  /// When a token was last refused that was in use.
  var lastRefusedAt: Timestamp?
  var trustedUntil: Timestamp?

  /// One that has not heard of anything.
  init(at now: Timestamp) { accepted = RecentCount(since: now) }

  /// Something that operators hear of.
  enum Event: String, Sendable, CaseIterable {
    case opened
    case closed
  }

  /// What follows from a report.
  struct Ruling: Sendable, Equatable {
    /// Whether refusals change nothing.
    var isOpen = false
    /// The tokens that were refused before the burst, for which it is to be undone; more than once,
    /// should the first attempt fail.
    var restored: Set<DeviceToken> = []
    var events: [Event] = []
  }

  /// Whether refusals change nothing at a time.
  func isOpen(at now: Timestamp) -> Bool { closesAt.map { $0 > now } ?? false }

  /// When it closes if no token is refused until then; `nil` when it is closed.
  var closesAt: Timestamp? {
    openedAt.map { max($0, lastRefusedAt ?? $0).advanced(by: Limits.breakerRest) }
  }

  /// Whether bursts are believed at a time.
  func isTrusting(at now: Timestamp) -> Bool { trustedUntil.map { $0 > now } ?? false }

  /// Hears of tokens that were refused and would go out of use, and of pushes that were taken since
  /// the last report.
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
    refusals.removeAll { $0.at.advanced(by: Limits.breakerWindow) <= now }
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

  /// An admin closes it.
  mutating func close(at now: Timestamp) -> [Event] {
    let wasOpen = isOpen(at: now)
    openedAt = nil
    refusals = []
    trustedUntil = now.advanced(by: Limits.breakerTrust)
    return wasOpen ? [.closed] : []
  }
}

/// How many there were within the last window: those since the window's start, and of the window
/// before it as large a part as the last window still covers.
struct RecentCount: Sendable, Hashable {
  /// When the present window started.
  var since: Timestamp
  /// Those since then.
  var count = 0
  /// Those of the window before.
  var before = 0

  private static let window = Limits.breakerWindow.microseconds

  /// Counts more.
  mutating func add(_ number: Int, at now: Timestamp) {
    let passed = (now.microseconds - since.microseconds) / Self.window
    if passed > 0 {
      before = passed == 1 ? count : 0
      count = 0
      since = Timestamp(microseconds: since.microseconds + passed * Self.window)
    }
    count += number
  }

  /// The number at a time.
  func value(at now: Timestamp) -> Int {
    var later = self
    later.add(0, at: now)
    let passed = max(0, now.microseconds - later.since.microseconds)
    return later.count + later.before * Int(Self.window - passed) / Int(Self.window)
  }
}
