internal import APIReference
internal import EventLoop
internal import HTTP

/// The reference of the API at `/docs`.
enum Reference {
  static let endpoints: [Endpoint] = [
    Endpoint(.get, "/docs", "getReference") { call in
      let context = call.context
      let file = try await page.value(on: context.shared.workers.requests, context.loop) {
        let html = try ReferencePage.html(of: Resources.contract)
        return ServedFile(html, contentType: "text/html; charset=utf-8")
      }
      return try file.response(to: call.request)
    }
  ]

  /// Made of `openapi.yaml` when somebody first asks for it: that takes too long for a loop, and a
  /// service whose page nobody opens should not pay for it.
  private static let page = SharedWork<ServedFile>(isKept: true)
}
