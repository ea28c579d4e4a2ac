internal import Content
internal import DeviceProfile
internal import EventLoop
internal import HTTP
internal import JSON
internal import Localization
internal import Postgres
internal import Rendering

/// `POST …/preview`: the texts of a message in every language; stores nothing, needs no device.
enum PreviewMessage {
  static let endpoints: [Endpoint] = [
    Endpoint(
      .post, "/v1/apps/{app}/preview", "preview", .backends,
      body: .json(limit: Limits.administrationBodyBytes), encodesApart: true,
      decode: { try $0.decodeBody(PreviewRequest.self).body },
      perform: answer,
      encode: { answer, _ in .json(answer) })
  ]

  /// The previews by language, and the version of the app's catalog that they are made with.
  private struct Answer: JSONWritable, Sendable {
    let version: String?
    var previews: [(language: LanguageTag, preview: Preview)] = []

    func write(to writer: inout JSONWriter) {
      writer.object { writer in
        writer.member("app_version", version)
        writer.key("languages")
        writer.array(previews) { writer, row in
          writer.object { writer in
            writer.member("language", row.language.text)
            row.preview.writeMembers(to: &writer)
          }
        }
      }
    }
  }

  private static func answer(_ request: PreviewRequest, _ call: Call) async throws -> Answer {
    let (app, content) = (call.app, call.context.content)
    let (name, message, arguments) = try await content.resolve(request.message, of: app)
    var options = request.options
    options.isVoIP = message.isForVoIPOnly
    let renderer = Renderer(
      message: message, name: name, arguments: arguments, app: AppFacts(app),
      options: options, now: call.now.microseconds / 1_000_000)
    let asked = try await content.catalog(asked: request.appVersion, of: app.id)
    let own = asked?.loaded
    let server = try await content.catalog(CatalogKey.serverVersion, of: app.id)
    let languages =
      try request.languages ?? all(message, [own, server].compactMap(\.?.catalog), app)
    var answer = Answer(version: asked?.version)
    for language in languages.sorted(by: { $0.text < $1.text }) {
      var device = request.device
      device.languages = [language]
      let catalogs = DeviceCatalogs(
        app: content.view(own, for: device), server: content.view(server, for: device))
      // The previews are made one by one, so that work of other calls comes in between.
      let workers = call.context.shared.workers.requests
      let preview = try await call.work(on: workers) { [device] in
        renderer.preview(for: device, catalogs: catalogs)
      }
      answer.previews.append((language, preview))
    }
    return answer
  }

  /// The languages that a message can come out in, as the catalogs and the message spell them.
  private static func all(
    _ message: Message, _ catalogs: [Catalog], _ app: AppRecord
  ) throws -> Set<LanguageTag> {
    var names = catalogs.flatMap(\.languages)
    names += message.languages
    if names.isEmpty { names = [app.developmentLanguage] }
    let languages = Set(names.compactMap { LanguageTag($0) })
    guard languages.count <= ContentLimits.previewedLanguages else {
      throw InputFailure(
        .tooMany, at: "/languages",
        "There are \(languages.count): name at most \(ContentLimits.previewedLanguages) of them.")
    }
    return languages
  }
}
