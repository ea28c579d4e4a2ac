internal import DeviceProfile
internal import Postgres
internal import Registry
internal import Telemetry

/// The last census as gauges. The gauges of tokens and breakers appear with the first census.
struct CensusMetrics: Sendable {
  private let tokens: MetricFamily<Gauge>
  private let openBreakers: MetricFamily<Gauge>
  private let time: Gauge
  private let logger: Logger

  init(_ observation: Observation) {
    logger = observation.logger
    let metrics = observation.metrics
    tokens = metrics.gauge(
      "postilion_tokens", "Tokens in the registry, by kind and status, at the last census.",
      labels: [
        MetricLabel("kind", CredentialKind.allCases.map(\.rawValue)),
        MetricLabel("status", CredentialStatus.allCases.map(\.rawValue)),
      ])
    openBreakers = metrics.gauge(
      "postilion_feedback_breakers_open",
      "Apps whose breaker is open, by environment, at the last census.",
      labels: [MetricLabel("environment", Environment.allCases.map(\.rawValue))])
    time = metrics.gauge(
      "postilion_census_timestamp_seconds",
      "When tokens and open breakers were last counted, in seconds since 1970; 0: not yet."
    ).child()
  }

  func show(_ census: Census, at now: Timestamp) {
    for kind in CredentialKind.allCases {
      for status in CredentialStatus.allCases {
        tokens.child(kind.rawValue, status.rawValue).set(Int(census.tokens[kind, status]))
      }
    }
    for environment in Environment.allCases {
      openBreakers.child(environment.rawValue).set(census.openBreakers[environment] ?? 0)
    }
    time.set(Int(now.microseconds / 1_000_000))
  }
}

extension CensusMetrics {
  /// The registry could not be counted; the last numbers stay.
  func failed(_ error: any Error) {
    logger.log(.warning, "census_failed", ["cause": .string("\(error)")])
  }
}

extension MetricsRegistry {
  /// Says which release runs.
  func declareBuild() {
    let version = MetricLabel("version", [Service.version])
    gauge(
      "postilion_build_info", "Always 1; the label is the version that runs.", labels: [version]
    )
    .child(Service.version).set(1)
  }
}
