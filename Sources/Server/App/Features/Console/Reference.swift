internal import Content
internal import EventLoop
internal import HTTP

/// The reference of the API at `/docs`.
enum Reference {
  static let endpoints: [Endpoint] = [
    Endpoint(.get, "/docs", "getReference") { call in
      let context = call.context
      let file = try await pages.value("/docs", on: context.loop) { _ in
        try await context.shared.workers.requests.run(isUnderWay: true) {
          ServedFile(Resources.reference, contentType: "text/html; charset=utf-8")
        }
      }
      return try file.response(to: call.request)
    }
  ]

  /// Compressed when somebody first asks for it: that takes too long for a loop, and a service
  /// whose page nobody opens should not pay for it.
  private static let pages = ReadThroughCache<String, ServedFile>(
    maximumCount: 1, maximumBytes: .max, bytes: { _ in 1 })
}
