internal import HTTP
internal import JSON
internal import Postgres
internal import Registry

/// The end of installations that have not called for long.
enum PurgeStale {
  static let endpoint = Endpoint(
    .post, "/v1/apps/{app}/installations/purge", "purgeInstallations", .admin,
    body: .json(limit: Limits.administrationBodyBytes), senderAudit: .all, isLong: true,
    decode: { request in try request.decodeBody(PurgeRequest.self).body },
    perform: perform,
    encode: { counts, _ in .json(counts) })

  private static func perform(_ request: PurgeRequest, _ call: Call) async throws -> StaleCounts {
    let appID = call.app.id
    guard request.isDry else {
      return try await call.context.registrar.purgeStale(
        appID: appID, notSeenDays: request.days, now: call.now)
    }
    let count = CountStaleInstallations(
      appID: appID, cutoff: call.now.lastSeenCutoff(days: request.days))
    // Counting millions takes a while. In a transaction it has a connection of its own, so no other
    // call waits for it.
    return try await call.context.database.transaction { try await $0.run(count) }.first
      ?? StaleCounts()
  }
}

/// The body of `POST …/installations/purge`.
struct PurgeRequest: RequestBody {
  static var policy: FieldPolicy { .strict }

  /// What has not called for so many days is stale.
  var days: Int
  /// Whether it is only counted.
  var isDry: Bool

  init?(reading fields: FieldReader) {
    // Its name before 1.0; deprecated.
    let name = fields.has("not_seen_days") ? "not_seen_days" : "stale_after_days"
    let days = fields.required(fields.integer(name, in: Limits.staleDays), name)
    isDry = fields.flag("dry_run").value ?? false
    guard let days else { return nil }
    self.days = days
  }
}
