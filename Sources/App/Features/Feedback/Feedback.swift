internal import ASCII
internal import DeviceProfile
internal import HTTP
internal import JSON
internal import Postgres
internal import Registry

/// What APNs told the sender: it keeps the registry true.
struct Feedback: Sendable {
  private static let path = "/v1/apps/{app}/feedback"

  let breakers = FeedbackBreakers()
  private let metrics: FeedbackMetrics

  init(_ observation: Observation) { metrics = FeedbackMetrics(observation) }

  var endpoints: [Endpoint] { [report, list, close] }

  private var report: Endpoint {
    Endpoint(
      .post, Self.path, "reportFeedback", .sender, body: .json(limit: Limits.feedbackBodyBytes),
      decode: { request in
        let environment = try Self.environment(request)
        var items = try request.decodeBody(FeedbackReport.self).body.items
        for index in items.indices where items[index].environment == nil {
          items[index].environment = environment
        }
        return items
      },
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
    Endpoint(
      .delete, Self.path + "/breakers/{environment}", "closeFeedbackBreaker", .admin,
      decode: { request in
        guard let environment = Environment(spelled: try request.parameter("environment")) else {
          throw Problem(.routeNotFound, "The environments are production and sandbox.")
        }
        return environment
      },
      perform: { environment, call in
        let app = call.app
        let events = try await breakers.close(
          .init(appID: app.id, environment: environment), at: call.now, in: call.context.database)
        for event in events { metrics.breaker(event, app.slug, environment) }
      },
      encode: { _, _ in Response(.noContent) })
  }

  /// The environment of a sender that does not say it with each result, from the hook's address.
  private static func environment(_ request: Request) throws -> Environment? {
    var query = try QueryReader(request)
    let detail = "environment is production or sandbox."
    let environment = query.parsed(
      "environment", .unknownValue, detail, Environment.init(rawValue:))
    try query.finish()
    return environment
  }
}
