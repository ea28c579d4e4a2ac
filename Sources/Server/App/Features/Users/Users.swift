internal import ASCII
internal import HTTP
internal import JSON
internal import Postgres
internal import Registry

/// People as the backend names them: one at a glance, the language that it chose for one, the tags
/// of their installations, and their erasure.
enum Users {
  private static let path = "/v1/apps/{app}/users/{user}"

  static let endpoints: [Endpoint] = [
    Endpoint(
      .get, path, "getUser", .admin, encodesApart: true,
      decode: user,
      perform: { user, call in try await UserView(of: user, call.context) },
      encode: { view, _ in .json(view) }),
    Endpoint(
      .put, path + "/language", "putUserLanguage", .backends,
      body: .json(limit: Limits.administrationBodyBytes), isLong: true,
      decode: { request, query in
        (
          user: try user(request),
          language: try request.decodeBody(ChosenLanguage.self).body.language,
          isDryRun: query.isDryRun()
        )
      },
      perform: choose,
      encode: { answer, _ in .json(answer) }),
    Endpoint(
      .post, path + "/tags", "changeUserTags", .backends,
      body: .json(limit: Limits.administrationBodyBytes), isLong: true,
      decode: { request in
        (user: try user(request), change: try request.decodeBody(TagChange.self).body)
      },
      perform: { order, call in
        try await call.context.registrar.changeTags(order.change, of: order.user, at: call.now)
      },
      encode: { changed, _ in .json(changed) }),
    .deletion(
      path, "eraseUser", .admin, isLong: true, key: user,
      perform: { deletion, call in
        if deletion.isDryRun {
          let count: Int64 =
            try await call.context.database.read(.countUserInstallations(user: deletion.key)).first
            ?? 0
          try deletion.endTrial(["installations": count])
        }
        return try await call.context.registrar.erase(deletion.key, at: call.now)
      },
      answer: { .json($0) }),
  ]

  private static func user(_ request: Request) throws -> UserKey {
    let id = try request.parameter("user")
    if let (fault, detail) = TextBounds(minimum: 1, maximum: RegistryLimits.userIDBytes).fault(
      of: id)
    {
      throw InputFailure(fault, at: "user", detail)
    }
    return UserKey(appID: request.app.id, id: id)
  }

  /// The choice is written first, the devices follow: see ``Registrar/alignLanguages(of:at:)``.
  private static func choose(
    _ choice: (user: UserKey, language: String?, isDryRun: Bool), _ call: Call
  ) async throws -> LanguageAnswer {
    let (database, user) = (call.context.database, choice.user)
    if !choice.isDryRun {
      if let language = choice.language {
        _ = try await database.write(
          .chooseLanguage(user: user, language: language, now: call.now))
      } else {
        _ = try await database.write(.forgetLanguage(user: user))
      }
      try await call.context.registrar.alignLanguages(of: user, at: call.now)
    }
    let count: Int64 = try await database.read(.countUserInstallations(user: user)).first ?? 0
    return LanguageAnswer(user: user.id, language: choice.language, installations: count)
  }
}

/// The body of `PUT …/users/{user}/language`.
struct ChosenLanguage: RequestBody {
  static var policy: FieldPolicy { .strict }

  /// `nil` leaves it to the devices again.
  var language: String?

  init(reading fields: FieldReader) {
    language = fields.language("language").value
    if !fields.names.containsSpelling("language") {
      fields.refuse(.missingField, at: "language", "A language tag, or null for none.")
    }
  }
}

/// The chosen language, and the number of devices that have it.
private struct LanguageAnswer: JSONWritable, Sendable {
  let user: String
  let language: String?
  let installations: Int64

  func write(to writer: inout JSONWriter) {
    writer.object { writer in
      writer.member("installations", installations)
      writer.member("language", language)
      writer.member("user", user)
    }
  }
}
