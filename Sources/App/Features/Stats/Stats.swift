internal import Content
internal import HTTP
internal import JSON
internal import Postgres

/// An app in numbers.
enum Stats {
  static let endpoints: [Endpoint] = [
    Endpoint(
      .get, "/v1/apps/{app}/stats", "getStats", .admin,
      decode: { request in
        var query = try QueryReader(request)
        let days = query.parsed(
          "days", .outOfRange, "days is a number from 1 to \(Limits.statsDays)."
        ) { text in
          Int(text).flatMap { (1...Limits.statsDays).contains($0) ? $0 : nil }
        }
        try query.finish()
        return StatsView.days(days ?? Limits.statsDaysDefault, until: request.now)
      },
      perform: { days, call in
        let appID = call.app.id
        let database = call.context.database
        let since = days.first ?? call.now
        return StatsView(
          installations: try await database.readApart(CountInstallations(appID: appID)),
          created: try await database.readApart(CountCreatedByDay(appID: appID, since: since)),
          failed: try await database.readApart(CountFailedByDay(appID: appID, since: since)),
          breakers: try await database.read(OpenBreakers(appID: appID, now: call.now)),
          buildsWithoutCatalog: try await database.readApart(BuildsWithoutCatalog(appID: appID)),
          days: days)
      },
      encode: { view, _ in .json(view) })
  ]
}
