internal import HTTP
internal import JSON
internal import Postgres
internal import Registry

/// Deletes installations that have not called for long.
enum PurgeStale {
  static let endpoint = Endpoint.deletion(
    "/v1/apps/{app}/installations/purge", "purgeInstallations", .admin, method: .post,
    body: .json(limit: Limits.administrationBodyBytes), isLong: true,
    key: { request in try request.decodeBody(PurgeRequest.self).body.days },
    perform: perform,
    answer: { .json($0) })

  private static func perform(_ purge: Order<Int>, _ call: Call) async throws -> StaleCounts {
    let appID = call.app.id
    guard purge.isDryRun else {
      return try await call.context.registrar.purgeStale(
        appID: appID, notSeenDays: purge.key, now: call.now)
    }
    // Counting millions takes a while. In a transaction it has a connection of its own, so no other
    // call waits for it.
    let counts = try await call.context.database.transaction { transaction in
      try await transaction.run(
        .countStaleInstallations(
          appID: appID, cutoff: call.now.lastSeenCutoff(days: purge.key))
      ).first ?? StaleCounts()
    }
    try purge.endTrial(["installations": counts.installations, "tokens": counts.tokens])
    return counts
  }
}

/// The body of `POST …/installations/purge`.
struct PurgeRequest: RequestBody {
  static var policy: FieldPolicy { .strict }

  /// An installation that has not called for this many days is stale.
  var days: Int

  init?(reading fields: FieldReader) {
    let days = fields.required(
      fields.integer("stale_after_days", in: Limits.staleDays), "stale_after_days")
    guard let days else { return nil }
    self.days = days
  }
}
