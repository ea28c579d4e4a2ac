internal import HTTP
internal import JSON
internal import Postgres

/// Apps: created and changed by root, seen by their own admin keys.
enum Apps {
  static let endpoints: [Endpoint] = [
    Endpoint(
      .put, "/v1/apps/{app}", "putApp", .root,
      body: .json(limit: Limits.administrationBodyBytes), needsApp: false,
      decode: { call in (try slug(call), try call.decodeBody(AppSettings.self).body) },
      perform: put,
      encode: { result, _ in
        .json(AppView(app: result.app), result.isNew ? .created : .ok)
      }),
    Endpoint(
      .get, "/v1/apps", "listApps", .admin,
      decode: { call in
        var query = try QueryReader(call)
        let span = query.span(String.self)
        try query.finish()
        return span
      },
      perform: { span, call in
        ListAnswer(
          visibleApps(call, after: span.after), span, view: { AppView(app: $0) },
          position: \.slug.text)
      },
      encode: { answer, call in answer.response(call) }),
    Endpoint(
      .get, "/v1/apps/{app}", "getApp", .admin,
      decode: { try $0.app }, perform: { app, _ in app },
      encode: { app, _ in .json(AppView(app: app)) }),
    Endpoint(
      .delete, "/v1/apps/{app}", "deleteApp", .admin,
      decode: { DeleteApp(id: try $0.app.id, now: $0.now) },
      perform: { deletion, call in
        _ = try await call.changeDirectory { $0.add(deletion) }
        call.context.shared.appPurge.begin(on: call.context)
      },
      encode: { _, _ in Response(.noContent) }),
  ]

  private static func slug(_ call: Call) throws -> AppSlug {
    guard let slug = AppSlug(try call.parameter("app")) else {
      throw InputFailure([
        InputFault.unknownValue.problem(
          at: "app", "An app's name in the path has 1 to 64 of a-z, 0-9 and -.")
      ])
    }
    return slug
  }

  private static func put(
    _ input: (slug: AppSlug, settings: AppSettings), _ call: Call
  ) async throws -> (app: AppRecord, isNew: Bool) {
    let stored = call.appRecord
    let app = try input.settings.applied(to: stored, slug: input.slug, now: call.now)
    let rows = try await call.changeDirectory { $0.add(UpsertApp(app: app)) }.rows
    guard let row = rows.first else {
      throw Problem(.conflict, "The app was created by someone else just now; try again.")
    }
    return (row, stored == nil)
  }

  /// Those that the key may see, by name.
  private static func visibleApps(_ call: Call, after name: String?) -> [AppRecord] {
    call.context.shared.directory.snapshot.apps.values
      .filter { app in call.key?.sees(app) ?? false && app.slug.text > name ?? "" }
      .sorted { $0.slug.text < $1.slug.text }
  }
}

extension Call {
  /// Changes apps or keys in one transaction; this instance knows the change on return, the others
  /// as soon as the database has told them.
  func changeDirectory<Result>(
    _ change: (Transaction) async throws -> Result
  ) async throws -> Result {
    let result = try await context.database.transaction { transaction in
      let result = try await change(transaction)
      transaction.add(SendNotice(notice: .directory))
      try await transaction.send()
      return result
    }
    try await context.shared.directory.load(context.database)
    return result
  }
}
