internal import EventLoop
internal import HTTP
internal import Postgres
internal import Telemetry

/// Probes, metrics and the contract.
enum Operations {
  static let endpoints: [Endpoint] = [
    Endpoint(.get, "/healthz", "getHealth") { _ in
      Response(.ok, text: "ok\npostilion \(Service.version)\n")
    },
    Endpoint(.get, "/readyz", "getReadiness", respond: readiness),
    Endpoint(.get, "/metrics", "getMetrics") { call in
      let shared = call.context.shared
      let text = try await shared.renderedMetrics.value(on: call.context.loop) {
        try await shared.workers.requests.run(isUnderWay: true) {
          shared.observation.metrics.render()
        }
      }
      return Response(.ok, contentType: MetricsRegistry.contentType, bytes: text)
    },
    Endpoint(.get, "/openapi.yaml", "getContract") { _ in
      Response(.ok, contentType: "application/yaml", fixed: Resources.contract)
    },
  ]

  /// Ready means: the database takes changes, answers in time, and its schema is the one that this
  /// program needs.
  private static func readiness(_ call: Call) async throws -> Response {
    let trouble = call.context.shared.observation.embeddedTrouble
    let fitness = call.context.shared.observation.fitness
    switch await call.context.readiness.ask() {
    case .takesChanges:
      if let fault = fitness.fault { throw notReady(fault, retryAfter: "5") }
      let degradation = fitness.degradation.map { "degraded: \($0)\n" }
      return Response(.ok, text: "ready\n" + (degradation ?? ""))
    case .late(let reason): throw notReady(trouble ?? reason, retryAfter: "1")
    case .refused(let error):
      throw notReady(
        trouble ?? (error.condition == .mismatch ? fitness.fault : nil) ?? error.stateOfDatabase,
        retryAfter: "1", logDetail: error.description)
    }
  }

  private static func notReady(
    _ reason: String, retryAfter seconds: String, logDetail: String? = nil
  ) -> Problem {
    Problem(
      .databaseUnavailable, reason, fields: [("Retry-After", seconds)], logDetail: logDetail)
  }
}
