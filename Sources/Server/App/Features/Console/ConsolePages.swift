internal import ASCII
internal import Console
internal import HTTP

/// The console: pages for people at `/`, which call the API with the key that a person enters.
enum ConsolePages {
  /// The files are compressed here, before there are requests that would wait for it.
  static let endpoints: [Endpoint] = {
    let page = served(.page)
    let parts = Dictionary(
      uniqueKeysWithValues: ConsoleFile.parts.map { (Spelling($0.name), served($0)) })
    return [
      Endpoint(.get, "/", "getConsole") { call in try page.response(to: call.request) },
      Endpoint(.get, "/console/{file}", "getConsoleFile") { call in
        guard let part = parts[try call.request.parameter("file")] else {
          throw Problem(.routeNotFound, "The console has no such file.")
        }
        return try part.response(to: call.request)
      },
    ]
  }()

  private static func served(_ file: ConsoleFile) -> ServedFile {
    ServedFile(file.bytes, contentType: file.contentType)
  }
}
