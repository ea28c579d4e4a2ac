internal import Synchronization
internal import Telemetry

/// The use of quotas by each app. The census counts it; between two censuses this instance adds its
/// own additions. So several instances can pass a quota by their additions of a minute.
final class AppUsage: Sendable {
  enum Quota: String, Sendable, CaseIterable {
    case installations
    case failures
    case catalogBytes = "catalog_bytes"
  }

  struct Counts: Sendable, Equatable {
    var installations = 0
    /// Failures that arrived on ``day``.
    var failures = 0
    /// Days since 1970, in UTC.
    var day: Int64 = 0

    /// The counts on a day: the failures of another day do not count.
    func on(_ day: Int64) -> Counts {
      Counts(installations: installations, failures: self.day == day ? failures : 0, day: day)
    }
  }

  private let limits: FloodLimits
  private let counts = Mutex<[Int32: Counts]>([:])
  private let turnedAway: MetricFamily<Counter>

  init(_ limits: FloodLimits, _ metrics: MetricsRegistry) {
    self.limits = limits
    turnedAway = metrics.counter(
      "postilion_quota_turned_away_total", "Calls beyond a quota of an app, by quota.",
      "quota", Quota.allCases.map(\.rawValue))
  }

  func limit(_ quota: Quota) -> Int {
    switch quota {
    case .installations: limits.installations
    case .failures: limits.failuresPerDay
    case .catalogBytes: limits.catalogBytes
    }
  }

  func counts(of appID: Int32, on day: Int64) -> Counts {
    counts.withLock { $0[appID] ?? Counts() }.on(day)
  }

  /// Takes the counts of all apps.
  func counted(_ all: [Int32: Counts]) { counts.withLock { $0 = all } }

  /// Counts one more for an app, or throws if the quota is used up.
  /// - Parameter day: Days since 1970, in UTC.
  func addOne(_ quota: Quota, to appID: Int32, on day: Int64) throws(FloodFailure) {
    let limit = limit(quota)
    let fits = counts.withLock { all in
      var counts = all[appID, default: Counts()].on(day)
      let count = quota == .failures ? counts.failures : counts.installations
      guard count < limit else { return false }
      if quota == .failures { counts.failures += 1 } else { counts.installations += 1 }
      all[appID] = counts
      return true
    }
    if !fits { throw refusal(quota) }
  }

  /// Throws if the files of an app's catalogs take more bytes together than the quota allows.
  func checkCatalogs(bytes: Int) throws(FloodFailure) {
    if bytes > limits.catalogBytes { throw refusal(.catalogBytes) }
  }

  private func refusal(_ quota: Quota) -> FloodFailure {
    turnedAway.child(quota.rawValue).increment()
    return .quota(quota, limit: limit(quota))
  }
}
