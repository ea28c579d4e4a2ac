internal import HTTP
internal import JSON
internal import Postgres
internal import Registry

/// Apps: created and changed by root, seen by their own admin keys.
struct Apps: Sendable {
  private let purge = AppPurge()

  var endpoints: [Endpoint] { Self.endpoints + [deletion] }

  private static let endpoints: [Endpoint] = [
    .replacement(
      "/v1/apps/{app}", "putApp", .root, body: .json(limit: Limits.administrationBodyBytes),
      needsApp: false, key: slug, read: { try $0.decodeBody(AppSettings.self).body },
      perform: put, tag: { $0.app.entityTag }),
    Endpoint(
      .get, "/v1/apps", "listApps", .admin, encodesApart: true,
      decode: { _, query in query.span(String.self) },
      perform: { span, call in
        try ListAnswer(
          visibleApps(call, after: span.after), span, view: { AppView(app: $0) },
          position: \.slug.text, shared: call.context.shared)
      },
      encode: { answer, request in answer.response(to: request) }),
    Endpoint(
      .get, "/v1/apps/{app}", "getApp", .admin,
      decode: { $0.app }, perform: { app, _ in app },
      encode: { app, request in
        try .json(AppView(app: app)).tagged(app.entityTag, unlessKnown: request)
      }),
  ]

  private var deletion: Endpoint {
    .deletion(
      "/v1/apps/{app}", "deleteApp", .admin,
      key: { $0.app.slug },
      perform: { deletion, call in
        try await call.changeApp(deletion.key) { stored, transaction in
          guard let stored else { throw Problem(.appNotFound, "The app was deleted just now.") }
          try deletion.precondition.check(stored.entityTag)
          if deletion.isDryRun {
            // All installations were seen before tomorrow, so all are counted.
            let tomorrow = call.now.before(days: -2)
            let counts =
              try await transaction.run(
                .countStaleInstallations(appID: stored.id, cutoff: tomorrow)
              ).first ?? StaleCounts()
            try deletion.endTrial([
              "apps": 1, "installations": counts.installations, "tokens": counts.tokens,
            ])
          }
          transaction.add(.deleteApp(id: stored.id, now: call.now))
        }
        purge.begin(on: call.context)
      })
  }

  private static func slug(_ request: Request) throws -> AppSlug {
    guard let slug = AppSlug(try request.parameter("app")) else {
      throw InputFailure(
        .unknownValue, at: "app", "An app's name in the path has 1 to 64 of a-z, 0-9 and -.")
    }
    return slug
  }

  private static func put(
    _ order: Order<AppSlug>, _ settings: AppSettings, _ call: Call
  ) async throws -> Replaced<AppView> {
    for _ in 0..<RegistryLimits.registrationAttempts {
      let (written, isNew, wasSo) = try await call.changeApp(order.key) { stored, transaction in
        try stored?.checkMove(isChange: true)
        try order.precondition.check(stored?.entityTag)
        let app = try settings.applied(to: stored, slug: order.key, now: call.now)
        try order.endTrial(as: AppView(app: app))
        let wasSo = stored?.takesUnprovenUsers ?? false
        return (transaction.add(.upsertApp(app: app)), stored == nil, wasSo)
      }
      // There is no row if another call created the app just now.
      if let app = written.rows.first {
        if !wasSo { call.context.shared.observation.unprovenUsers(of: [app]) }
        return Replaced(view: AppView(app: app), isNew: isNew)
      }
    }
    throw Problem(.conflict, "Others keep creating and deleting this app; try again.")
  }

  /// The apps that the key may see, sorted by name.
  private static func visibleApps(_ call: Call, after name: String?) -> [AppRecord] {
    call.context.shared.directory.snapshot.apps.values
      .filter { app in call.key?.sees(app) ?? false && app.slug.text > name ?? "" }
      .sorted { $0.slug.text < $1.slug.text }
  }
}

extension Call {
  /// Changes one app. Changes of the same app wait for each other.
  /// - Parameter change: Gets the stored app, and adds the statements that change it.
  fileprivate func changeApp<Result>(
    _ slug: AppSlug, _ change: (AppRecord?, Transaction) async throws -> Result
  ) async throws -> Result {
    try await changeDirectory { transaction in
      let stored = try await transaction.run(.lockAppBySlug(slug: slug)).first
      return try await change(stored, transaction)
    }
  }
}
