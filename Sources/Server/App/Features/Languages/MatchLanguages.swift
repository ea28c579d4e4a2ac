internal import EventLoop
internal import HTTP
internal import JSON
internal import Localization
internal import Registry

/// `POST /v1/languages/match`: which localization Apple's rules pick; stores and needs nothing.
enum MatchLanguages {
  static let endpoints: [Endpoint] = [
    Endpoint(
      .post, "/v1/languages/match", "matchLanguages", .anyKey,
      body: .json(limit: Limits.administrationBodyBytes),
      decode: { request in
        let question = try request.decodeBody(MatchRequest.self).body
        guard !request.isLimited || question.available.count <= Limits.matchedByClient else {
          let detail = "With a client key there are at most \(Limits.matchedByClient) entries."
          throw InputFailure([InputFault.tooMany.problem(at: "/available", detail)])
        }
        return question
      },
      perform: { request, call in
        // Long tags of many subtags take milliseconds.
        try await call.work(on: call.context.shared.workers.requests) {
          LanguageMatcher.localizations(
            preferred: request.preferred, available: request.available)
        }
      },
      encode: { chosen, _ in
        .json(JSONValue.object(["chosen": .array(chosen.map(JSONValue.string))]))
      })
  ]

  /// Two lists of tags, the user's in order of preference, the app's as its folders spell them. An
  /// entry that is no language (`""`, `-US`) matches nothing, as in a bundle.
  struct MatchRequest: RequestBody {
    static var policy: FieldPolicy { .strict }

    var preferred: [LanguageTag]
    var available: [String]

    init?(reading fields: FieldReader) {
      func tags(_ name: String, maximum: Int) -> [String]? {
        fields.required(
          fields.texts(name, maximumCount: maximum, maximum: Limits.matchedTagBytes), name)
      }
      let preferred = tags("preferred", maximum: RegistryLimits.languages)
      let available = tags("available", maximum: Limits.matchedLocalizations)
      guard let preferred, let available else { return nil }
      self.preferred = preferred.compactMap { LanguageTag(reading: $0) }
      self.available = available
    }
  }
}
