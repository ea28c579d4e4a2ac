internal import Content
internal import HTTP
internal import JSON
internal import Postgres
internal import Registry

/// An app in numbers.
enum Stats {
  private struct Question: Sendable {
    let days: Int
    let maximumAge: Int
    /// The installations to count; `nil` for all.
    var filter: InstallationFilter?
  }

  static let endpoints: [Endpoint] = [
    Endpoint(
      .get, "/v1/apps/{app}/stats", "getStats", .admin, isLong: true,
      decode: { request, query in
        let days = query.parsed(
          "days", .outOfRange, "days is a number from 1 to \(Limits.statsDays)."
        ) { text in
          Int(text).flatMap { (1...Limits.statsDays).contains($0) ? $0 : nil }
        }
        let maximumAge = query.maximumAge()
        let filter = InstallationFilter(appID: request.app.id, from: &query)
        return Question(
          days: days ?? Limits.statsDaysDefault, maximumAge: maximumAge,
          filter: filter.isEmpty ? nil : filter)
      },
      perform: { question, call in
        try await answer(question, call.app, call.context, for: call.holder, at: call.now)
      },
      encode: { json, _ in .json(text: json) })
  ]

  /// Counts an app anew, for callers that accept an older answer.
  static func countAhead(_ app: AppRecord, _ context: LoopContext, at now: Timestamp) async throws {
    let days = StatsView.days(Limits.statsDaysDefault, until: now)
    let view = try await context.readBehind {
      try await count(app.id, nil, days: days, context, $0, for: nil, at: now)
    }
    _ = try await context.counted(key(of: app.id, days: days.count), at: now, maximumAge: 0) {
      view
    }
    try await tell(of: view.buildsWithoutCatalog, of: app, context, at: now)
  }

  private static func key(of appID: Int32, days: Int) -> CountedAnswers.Key {
    CountedAnswers.Key(operation: "getStats", appID: appID, target: "\(days)")
  }

  /// Writes events for the feed of changes about builds that devices have and that have no catalog:
  /// one for each build, as long as the event is remembered. An app without any catalog needs none.
  private static func tell(
    of builds: [SeenBuild], of app: AppRecord, _ context: LoopContext, at now: Timestamp
  ) async throws {
    guard app.moving == nil else { return }
    let versions = try await context.content.catalogVersions(of: app.id).names
    // A replica may not know yet of a catalog that was uploaded.
    let names = builds.compactMap { $0.build ?? $0.version }.filter { !versions.contains($0) }
    guard !names.isEmpty, !versions.isEmpty else { return }
    let untold = try await context.database.read(.untoldBuilds(appID: app.id, builds: names))
    guard !untold.isEmpty else { return }
    try await context.database.transaction { transaction in
      transaction.add(LockApps(ids: [app.id]))
      transaction.add(LockAppFor(.eventOnce, appID: app.id))
      for build in untold {
        let event = AppEvent(
          appID: app.id, name: .buildWithoutCatalog, source: .maintenance, at: now, build: build)
        transaction.add(InsertAppEventOnce(event: event, since: Timestamp(microseconds: 0)))
      }
      try await transaction.send()
    }
  }

  private static func answer(
    _ question: Question, _ app: AppRecord, _ context: LoopContext, for holder: Int32?,
    at now: Timestamp
  ) async throws -> [UInt8] {
    let days = StatsView.days(question.days, until: now)
    if let filter = question.filter {
      return try await context.readBehind {
        try await count(app.id, filter, days: days, context, $0, for: holder, at: now).json
      }
    }
    let key = key(of: app.id, days: question.days)
    return try await context.counted(key, at: now, maximumAge: question.maximumAge) {
      try await context.readBehind {
        try await count(app.id, nil, days: days, context, $0, for: holder, at: now)
      }
    }
  }

  private static func count(
    _ appID: Int32, _ filter: InstallationFilter?, days: [Timestamp], _ context: LoopContext,
    _ database: PostgresClient, for holder: Int32?, at now: Timestamp
  ) async throws -> StatsView {
    let usage = context.shared.usage
    let all = InstallationFilter(appID: appID)
    let asked = filter?.ofApp(appID) ?? all
    let ids = try await asked.ids(database)
    let installations = try await database.readApart(.countInstallations(asked, ids), for: holder)
    let everything =
      filter == nil
      ? installations : try await database.readApart(.countInstallations(all, nil), for: holder)
    let total = everything.reduce(0) { $1.dimension == .platform ? $0 + $1.count : $0 }
    let catalogBytes: Int64 = try await database.read(.countCatalogBytes(appID: appID)).first ?? 0
    let since = days.first ?? now
    return StatsView(
      installations: installations,
      created: try await database.readApart(
        .countCreatedByDay(since: since, asked, ids), for: holder),
      failed: try await database.readApart(
        .countFailedByDay(appID: appID, since: since), for: holder),
      events: try await database.readApart(
        .countTokenEventsByDay(appID: appID, since: since), for: holder),
      breakers: try await database.read(.openBreakers(appID: appID, now: now)),
      buildsWithoutCatalog: try await database.readApart(
        .buildsWithoutCatalog(appID: appID), for: holder),
      latestCatalog: try await context.content.catalogVersions(of: appID).names.first,
      quotas: [
        (.installations, Int(total), usage.limit(.installations)),
        (.failures, usage.counts(of: appID, on: now.day).failures, usage.limit(.failures)),
        (.catalogBytes, Int(catalogBytes), usage.limit(.catalogBytes)),
      ],
      days: days, countedAt: now)
  }
}
