internal import Content
internal import EventLoop
internal import HTTP
internal import JSON
internal import Localization
internal import Postgres
internal import Rendering

/// `POST …/payloads/check`: how APNs and a device would take a payload that was made elsewhere;
/// stores and sends nothing.
enum CheckPayload {
  static let endpoints: [Endpoint] = [
    Endpoint(
      .post, "/v1/apps/{app}/payloads/check", "checkPayload", .backends,
      body: .json(limit: Limits.administrationBodyBytes), encodesApart: true,
      decode: { try $0.decodeBody(PayloadCheckRequest.self).body },
      perform: { request, call in
        let app = call.app
        let own = try await call.context.content.catalog(asked: request.appVersion, of: app.id)
        let languages =
          request.languages ?? [LanguageTag(app.developmentLanguage)].compactMap { $0 }
        let now = call.now
        let check = try await call.work(on: call.context.shared.workers.requests) {
          PayloadCheck(
            request.payload, headers: request.headers(of: app, now: now),
            app: own.map { CatalogView($0.loaded.catalog, for: languages) },
            envelopeKey: app.localNotificationKey)
        }
        return Answer(version: own?.version, check: check)
      },
      encode: { answer, _ in .json(answer) })
  ]

  /// The check, and the version of the app's catalog that it is made with.
  private struct Answer: JSONWritable, Sendable {
    let version: String?
    let check: PayloadCheck

    func write(to writer: inout JSONWriter) {
      writer.object { writer in
        writer.member("app_version", version)
        check.writeMembers(to: &writer)
      }
    }
  }
}
