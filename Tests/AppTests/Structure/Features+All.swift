import Telemetry

@testable import App

extension Features {
  /// All routes, of a service that tells nobody anything.
  static let all = Features(
    Observation(logger: Logger(format: .json, minimumLevel: .error, now: { 0 }, sink: { _ in }))
  ).endpoints
}
