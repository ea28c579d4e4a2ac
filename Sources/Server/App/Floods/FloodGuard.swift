internal import EventLoop
internal import FoundationEssentials
internal import Synchronization
internal import Telemetry

/// Turns away calls of a client that takes too much from other clients: token buckets by address,
/// by key and by installation. Backends are not limited: their keys are secret.
final class FloodGuard: Sendable {
  enum Limit: String, Sendable, CaseIterable {
    case address
    case addressGrowth = "address_growth"
    case key
    case keyGrowth = "key_growth"
    case installation

    /// The sentence that the client reads.
    var detail: String {
      switch self {
      case .address: "There are too many calls from this address."
      case .addressGrowth: "What this address adds to the database is too much."
      case .key: "There are too many calls with this key."
      case .keyGrowth: "What is added to the database with this key is too much."
      case .installation: "There are too many calls for this installation."
      }
    }
  }

  /// The additions of a call to the database.
  struct Growth: Sendable {
    /// Rows of all tables; one more for every ``FloodLimits/growthBytes`` of its body and of words
    /// of the index.
    var rows: Int
    /// Whether an existing installation adds the rows. Such additions are the last to be turned
    /// away.
    var isOfKnownInstallation = false
  }

  struct Client: Sendable {
    /// `nil` for a client that is not limited by its address: a program of this machine.
    var address: IPAddress?
    /// Its client key; `nil` when it has none that is valid.
    var key: UUID?
  }

  /// How a client stands with a limit, once a call has counted.
  struct Standing: Sendable, Equatable {
    let limit: Limit
    private let policy: String
    /// How many calls may come at once.
    private let left: Int
    /// Until they are as many as can be; of a call that is turned away, until there is one.
    let seconds: Int

    fileprivate init(_ limit: Limit, _ policy: String, left: Int, nanoseconds: UInt64) {
      (self.limit, self.policy, self.left) = (limit, policy, left)
      seconds = Int(nanoseconds / 1_000_000_000) + 1
    }

    /// The fields of draft-ietf-httpapi-ratelimit-headers-10.
    var fields: [(name: String, value: String)] {
      [
        ("RateLimit-Policy", policy),
        ("RateLimit", "\"\(limit.rawValue)\";r=\(left);t=\(seconds)"),
      ]
    }
  }

  private let address: Table?
  private let addressGrowth: Table?
  private let key: Table?
  private let keyGrowth: Table?
  private let installation: Table?
  private let added: Counter

  /// The buckets of a limit.
  private final class Table: Sendable {
    let limit: Limit
    let rate: RateLimit
    let turnedAway: Counter
    private let policy: String
    private let table: Mutex<RateTable>

    init(_ limit: Limit, _ rate: RateLimit, _ turnedAway: Counter) {
      self.limit = limit
      self.rate = rate
      self.turnedAway = turnedAway
      policy = "\"\(limit.rawValue)\";q=\(rate.burst);w=\(rate.window)"
      table = Mutex(RateTable(rate))
    }

    /// Takes from a bucket, or throws.
    func take(
      _ key: UInt64, at now: UInt64, count: Int, keeping kept: Int
    ) throws(FloodFailure) -> Standing {
      let (wait, rest) = table.withLock { table in
        (table.take(key, at: now, count: count, keeping: kept), table.rest(of: key, at: now))
      }
      if let wait {
        turnedAway.increment()
        throw .tooMany(Standing(limit, policy, left: 0, nanoseconds: wait))
      }
      return Standing(limit, policy, left: rest.count, nanoseconds: rest.nanoseconds)
    }

    func charge(_ key: some Hashable, at now: UInt64, count: Int) {
      let hash = UInt64(truncatingIfNeeded: key.hashValue)
      table.withLock { $0.charge(hash, at: now, count: count) }
    }
  }

  init(_ limits: FloodLimits, _ metrics: MetricsRegistry) {
    let turnedAway = metrics.counter(
      "postilion_floods_turned_away_total", "Calls that were one too many, by limit.",
      "limit", Limit.allCases.map(\.rawValue))
    func table(_ limit: Limit, _ rate: RateLimit?) -> Table? {
      rate.map { Table(limit, $0, turnedAway.child(limit.rawValue)) }
    }
    address = table(.address, limits.address)
    addressGrowth = table(.addressGrowth, limits.addressGrowth)
    key = table(.key, limits.key)
    keyGrowth = table(.keyGrowth, limits.keyGrowth)
    installation = table(.installation, limits.installation)
    added = metrics.counter(
      "postilion_growth_rows_total",
      "Rows that calls with client keys may have added, and what counts as such."
    ).child()
  }

  /// Lets a call pass, or throws.
  /// - Parameters:
  ///   - named: The app and the installation that the path names.
  ///   - now: Nanoseconds of the monotonic clock.
  /// - Returns: How the installation or else the address stands. How the key stands is told to
  ///   nobody: all phones of an app have it.
  func admit(
    _ client: Client, installation named: (appID: Int32, id: UUID)? = nil, at now: UInt64
  ) throws(FloodFailure) -> Standing? {
    let ofAddress = try client.address.flatMap { sender throws(FloodFailure) in
      try take(sender.customer, of: address, at: now)
    }
    if let id = client.key { _ = try take(id, of: key, at: now) }
    guard let named else { return ofAddress }
    var hasher = Hasher()
    hasher.combine(named.appID)
    hasher.combine(named.id)
    return try take(hasher.finalize(), of: installation, at: now)
  }

  /// Lets a call add rows, or throws.
  func admit(
    _ growth: Growth, of client: Client, at now: UInt64
  ) throws(FloodFailure) {
    guard growth.rows > 0 else { return }
    let keepsShare = !growth.isOfKnownInstallation
    if let sender = client.address {
      _ = try take(sender.customer, of: addressGrowth, at: now, growth.rows, keepsShare)
    }
    if let id = client.key { _ = try take(id, of: keyGrowth, at: now, growth.rows, keepsShare) }
    added.increment(by: growth.rows)
  }

  /// Counts a call that took long as several, whatever its answer was.
  /// - Parameter nanoseconds: The time that the call took of a loop or a thread.
  func charge(_ nanoseconds: UInt64, to client: Client, at now: UInt64) {
    let count = Int(clamping: nanoseconds / FloodLimits.callNanoseconds)
    guard count > 0 else { return }
    if let sender = client.address { address?.charge(sender.customer, at: now, count: count) }
    if let id = client.key { key?.charge(id, at: now, count: count) }
  }

  private func take(
    _ key: some Hashable, of table: Table?, at now: UInt64, _ count: Int = 1,
    _ keepsShare: Bool = false
  ) throws(FloodFailure) -> Standing? {
    guard let table else { return nil }
    // Hashes are seeded anew by each process, so that no one can aim at the place of another.
    let hash = UInt64(truncatingIfNeeded: key.hashValue)
    let kept = keepsShare ? table.rate.burst / FloodLimits.keptShare : 0
    return try table.take(hash, at: now, count: count, keeping: kept)
  }
}

/// A call that is turned away, so that there is room for others.
enum FloodFailure: Error, Sendable, Equatable {
  /// A bucket is empty.
  case tooMany(FloodGuard.Standing)
  /// An app has all that it may have.
  case quota(AppUsage.Quota, limit: Int)
}
