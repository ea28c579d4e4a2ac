internal import APIReference
internal import EventLoop
internal import HTTP
internal import Synchronization

/// The reference of the API at `/docs`, made from `openapi.yaml` when somebody first asks for it.
enum Reference {
  static let endpoints: [Endpoint] = [
    Endpoint(.get, "/docs", "getReference") { call in
      let request = call.request
      if let file = shared.file, file.isReady(for: request) {
        return try file.response(to: request)
      }
      return try await call.context.shared.workers.requests.run {
        try shared.made().response(to: request)
      }
    }
  ]

  private static let shared = Page()

  /// The page, once it is made: reading the contract takes too long for a loop, and a service whose
  /// page nobody opens should not pay for it. What is kept is compressed, a tenth of the page.
  private final class Page: Sendable {
    private let kept = Mutex<ServedFile?>(nil)
    /// Held while the page is made, by a thread that may wait; ``kept`` never for long.
    private let making = Mutex(())

    /// The page, if it is made.
    var file: ServedFile? { kept.withLock { $0 } }

    /// The page, which the first caller makes. Only on a thread that may wait.
    func made() throws -> ServedFile {
      try making.withLock { _ in
        if let file { return file }
        let html = try ReferencePage.html(of: PackageResources.openapi_yaml)
        let file = ServedFile(
          html, contentType: "text/html; charset=utf-8", keepsPlain: false, scripts: false)
        kept.withLock { $0 = file }
        return file
      }
    }
  }
}
