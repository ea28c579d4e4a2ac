internal import EventLoop
internal import FoundationEssentials
internal import Synchronization
internal import Telemetry

/// Turns away what one client takes from others: token buckets by address, by key and by
/// installation. Backends are not limited: their keys are secret.
final class FloodGuard: Sendable {
  /// What is limited.
  enum Limit: String, Sendable, CaseIterable {
    case address
    case addressGrowth = "address_growth"
    case key
    case keyGrowth = "key_growth"
    case installation

    /// What the client reads.
    var detail: String {
      switch self {
      case .address: "There are too many calls from this address."
      case .addressGrowth: "There are too many new installations or failures from this address."
      case .key: "There are too many calls with this key."
      case .keyGrowth: "There are too many new installations or failures with this key."
      case .installation: "There are too many calls for this installation."
      }
    }
  }

  /// A row that a call adds.
  enum Growth: Sendable {
    /// An installation that exists reports a new token.
    case token
    /// A new installation, or a failure.
    case row
  }

  /// The client of a call.
  struct Client: Sendable {
    /// `nil` when it is not limited by its address: a program of this machine.
    var address: IPAddress?
    /// Its client key; `nil` when it has none that is valid.
    var key: UUID?
  }

  let limits: FloodLimits
  private let tables: [Limit: Table]

  private final class Table: Sendable {
    private let table: Mutex<RateTable>
    let limit: RateLimit
    let turnedAway: Counter

    init(_ limit: RateLimit, _ turnedAway: Counter) {
      table = Mutex(RateTable(limit))
      self.limit = limit
      self.turnedAway = turnedAway
    }

    func take(_ key: UInt64, at now: UInt64, keeping kept: Int) -> UInt64? {
      table.withLock { $0.take(key, at: now, keeping: kept) }
    }
  }

  init(_ limits: FloodLimits, _ metrics: MetricsRegistry) {
    self.limits = limits
    let turnedAway = metrics.counter(
      "postilion_floods_turned_away_total", "Calls that were one too many, by limit.",
      "limit", Limit.allCases.map(\.rawValue))
    let rates: [(Limit, RateLimit?)] = [
      (.address, limits.address), (.addressGrowth, limits.addressGrowth), (.key, limits.key),
      (.keyGrowth, limits.keyGrowth), (.installation, limits.installation),
    ]
    var tables: [Limit: Table] = [:]
    for case (let limit, let rate?) in rates {
      tables[limit] = Table(rate, turnedAway.child(limit.rawValue))
    }
    self.tables = tables
  }

  /// Lets a call pass, or not.
  /// - Parameters:
  ///   - installation: The app and the name of the installation that the path names.
  ///   - now: Nanoseconds of the monotonic clock.
  func admit(
    _ client: Client, installation: (appID: Int32, name: String)? = nil, at now: UInt64
  ) throws(FloodFailure) {
    if let address = client.address { try take(.address, address.customer, at: now) }
    if let key = client.key { try take(.key, key, at: now) }
    if let installation {
      var hasher = Hasher()
      hasher.combine(installation.appID)
      hasher.combine(installation.name)
      try take(.installation, hasher.finalize(), at: now)
    }
  }

  /// Lets a call add a row, or not. Those of installations that exist are the last to be turned
  /// away.
  func admit(_ growth: Growth, of client: Client, at now: UInt64) throws(FloodFailure) {
    let keepsShare = growth == .row
    if let address = client.address {
      try take(.addressGrowth, address.customer, at: now, keepsShare)
    }
    if let key = client.key { try take(.keyGrowth, key, at: now, keepsShare) }
  }

  private func take(
    _ limit: Limit, _ key: some Hashable, at now: UInt64, _ keepsShare: Bool = false
  ) throws(FloodFailure) {
    guard let table = tables[limit] else { return }
    // Hashes are seeded anew by each process, so that no one can aim at the place of another.
    let hash = UInt64(truncatingIfNeeded: key.hashValue)
    let kept = keepsShare ? table.limit.burst / FloodLimits.keptShare : 0
    guard let wait = table.take(hash, at: now, keeping: kept) else { return }
    table.turnedAway.increment()
    throw .tooMany(limit, table.limit, retryAfterSeconds: Int(wait / 1_000_000_000) + 1)
  }
}
