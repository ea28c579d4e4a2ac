internal import Console
internal import Crypto
internal import HTTP
internal import Zip

/// The console: pages for people at `/`, which call the API with the key that a person enters.
enum ConsolePages {
  /// The files are compressed here, before there are requests that would wait for it.
  static let endpoints: [Endpoint] = {
    let page = Part(.page)
    let parts = Dictionary(uniqueKeysWithValues: ConsoleFile.parts.map { ($0.name, Part($0)) })
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

  /// A file as it goes out, each form with a tag by which a browser finds that it has it.
  private struct Part: Sendable {
    private let contentType: String
    private let plain: Form
    private let compressed: Form

    private struct Form: Sendable {
      let bytes: [UInt8]
      let tag: EntityTag

      init(_ bytes: [UInt8]) {
        self.bytes = bytes
        tag = EntityTag(SHA256.hash(bytes).prefix(7).reduce(0) { $0 << 8 | Int64($1) })
      }
    }

    init(_ file: ConsoleFile) {
      contentType = file.contentType
      plain = Form(file.bytes)
      compressed = Form(Zip.compressed(file.bytes, .gzip))
    }

    func response(to request: Request) throws -> Response {
      let isCompressed = request.acceptsGzip
      let form = isCompressed ? compressed : plain
      var response = try Response(.ok, contentType: contentType, bytes: form.bytes)
        .tagged(form.tag, unlessKnown: request)
      if isCompressed { response.fields.append("Content-Encoding", "gzip") }
      for (name, value) in ConsolePages.fields { response.fields.append(name, value) }
      return response
    }
  }

  /// The page runs its own files and calls its own service, and nothing else: a text that it shows
  /// can bring in no script, and no other page can frame it. Browsers ask each time whether a file
  /// is still the same, so that an upgrade is seen at once.
  private static let fields = [
    (
      "Content-Security-Policy",
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; "
        + "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    ("Referrer-Policy", "no-referrer"),
    ("Cross-Origin-Opener-Policy", "same-origin"), ("Cache-Control", "no-cache"),
    ("Vary", "Accept-Encoding"),
  ]
}

extension Request {
  /// Whether the answer may be compressed (RFC 9110, section 12.5.3).
  fileprivate var acceptsGzip: Bool {
    let offers = head.header("accept-encoding")?.lowercased().split(separator: ",") ?? []
    return offers.contains { offer in
      let parts = offer.split(separator: ";").map { $0.filter { $0 != " " } }
      return parts.first == "gzip" && !parts.dropFirst().contains { Double($0.dropFirst(2)) == 0 }
    }
  }
}
