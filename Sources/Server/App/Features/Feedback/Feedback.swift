internal import ASCII
internal import DeviceProfile
internal import HTTP
internal import JSON
internal import Postgres
internal import Registry

/// Answers of APNs that senders report. They keep the registry true.
struct Feedback: Sendable {
  private static let path = "/v1/apps/{app}/feedback"

  let breakers = FeedbackBreakers()
  private let metrics: FeedbackMetrics

  init(_ observation: Observation) { metrics = FeedbackMetrics(observation) }

  var endpoints: [Endpoint] { [report, gorushReport, list, close] }

  private var report: Endpoint {
    report(Self.path, "reportFeedback") { request, _ in
      try request.decodeBody(FeedbackReport.self).body.items
    }
  }

  /// gorush does not name the environment: the address of its hook does.
  private var gorushReport: Endpoint {
    report(Self.path + "/gorush", "reportGorushFeedback") { request, query in
      let detail = "environment is production or sandbox."
      let environment = query.parsed(
        "environment", .unknownValue, detail, Environment.init(spelled:))
      var item = try request.decodeBody(GorushReport.self).body.item
      item.environment = environment
      return [item]
    }
  }

  private func report(
    _ path: String, _ operation: String,
    decode: @escaping @Sendable (Request, inout QueryReader) throws -> [FeedbackItem]
  ) -> Endpoint {
    Endpoint(
      .post, path, operation, .sender, body: .json(limit: Limits.feedbackBodyBytes),
      decode: decode,
      perform: { items, call in
        let intake = FeedbackIntake(
          context: call.context, breakers: breakers, metrics: metrics, app: call.app,
          now: call.now)
        let results = try await intake.take(items)
        for result in results { metrics.decided(result.decision) }
        return results
      },
      encode: { results, _ in .json(text: FeedbackResult.json(results)) })
  }

  private var list: Endpoint {
    Endpoint(
      .get, Self.path + "/breakers", "listFeedbackBreakers", .backends,
      decode: { request in request.app.id },
      perform: { appID, call in
        try await call.context.database.read(LoadFeedbackBreakers(appID: appID))
      },
      encode: { breakers, request in
        let byEnvironment = Dictionary(breakers.map { ($0.environment, $0.breaker) }) { $1 }
        return .json(text: FeedbackBreaker.json(byEnvironment, at: request.now))
      })
  }

  private var close: Endpoint {
    .deletion(
      Self.path + "/breakers/{environment}", "closeFeedbackBreaker", .admin,
      key: { request in
        guard let environment = Environment(spelled: try request.parameter("environment")) else {
          throw Problem(.routeNotFound, "The environments are production and sandbox.")
        }
        return environment
      },
      perform: { deletion, call in
        let (app, environment) = (call.app, deletion.key)
        if deletion.isDryRun {
          let stored = try await call.context.database.read(LoadFeedbackBreakers(appID: app.id))
          let open = stored.filter {
            $0.environment == environment && $0.breaker.isOpen(at: call.now)
          }
          try deletion.endTrial(["breakers": Int64(open.count)])
        }
        let events = try await breakers.close(
          .init(appID: app.id, environment: environment), at: call.now, in: call.context.database)
        for event in events { metrics.breaker(event, app.slug, environment) }
      })
  }
}
