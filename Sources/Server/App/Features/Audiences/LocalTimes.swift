internal import FoundationEssentials
internal import HTTP
internal import JSON
internal import Postgres
internal import Registry

/// `POST …/audiences/local-time`: when an audience's clocks show a time, so that the sender can
/// plan a rendering for each of the instants.
enum LocalTimes {
  static let endpoints: [Endpoint] = [
    Endpoint(
      .post, "/v1/apps/{app}/audiences/local-time", "sliceByLocalTime", .backends,
      body: .json(limit: Limits.administrationBodyBytes), encodesApart: true,
      isLong: true,
      decode: { request in try request.decodeBody(LocalTimeRequest.self).body },
      perform: { request, call in
        let rows = try await call.context.readBehind {
          try await count(request.audience.filter, call, $0)
        }
        return (request: request, rows: rows)
      },
      encode: { counted, request in
        // A time within the present second counts as past.
        let now = (request.now.microseconds + 999_999) / 1_000_000
        return .json(
          LocalTimeSlices(
            counted.request, counts: counted.rows.map { ($0.timeZone, $0.count) },
            devices: counted.rows.first?.total ?? 0, now: now))
      })
  ]

  private static func count(
    _ given: InstallationFilter, _ call: Call, _ database: PostgresClient
  ) async throws -> [TimeZoneCount] {
    let filter = given.ofApp(call.app.id)
    let ids = try await filter.audienceIDs(database)
    // Counting millions of devices takes a while, and no other call should wait for it.
    return try await database.readApart(
      .countTimeZones(of: filter, ids: ids, limit: Limits.localTimeZones), for: call.holder)
  }
}
