@testable import App
@testable import HTTP
@testable import Postgres

extension Reader {
  /// How lists were read once, each text compared with all before it: it shows that the counting
  /// finds a square.
  nonisolated(unsafe) static let bySquare = Reader("a square", upTo: 16_384) { bytes in
    (0..<bytes / 32).map { text(24, "", "a") + String(100_000 + $0) }
  } _: { texts in
    _ = texts.reduce(into: [String]()) { if !$0.contains($1) { $0.append($1) } }
  }

  /// How entity tags were read once. It is no square, and yet 31.7 kB took 50 ms of a loop.
  nonisolated(unsafe) static let byRegex = Reader("entity tags by a Regex", upTo: 32_704, tags) {
    text in
    let tag = /(?:W\/)?"[^"]*"/
    _ = text.matches(of: tag).count + text.replacing(tag, with: "").count
  }

  private static func tags(_ bytes: Int) -> String { text(bytes, "", "\"a\",", "\"b\"") }

  private static let limits = HTTPLimits.standard

  /// Reads a field of a head that has no other.
  private static func field(
    _ name: String, _ column: String, _ worst: @escaping (Int) -> String,
    _ read: @escaping (RequestHead) -> Void
  ) -> Reader {
    Reader(column, upTo: limits.headerBytes - 64) { bytes in
      head([(name, worst(bytes))])
    } _: { head in
      if let head { read(head) }
    }
  }

  private static func head(_ fields: [(String, String)]) -> RequestHead? {
    try? RequestHead(method: .get, target: "/", fields: fields)
  }

  private static func parse(_ bytes: [UInt8], pieces: Int = .max) {
    var parser = RequestParser()
    var rest = bytes[...]
    while !rest.isEmpty {
      parser.append(Array(rest.prefix(pieces)))
      rest = rest.dropFirst(pieces)
      while let event = try? parser.next() { if case .end = event { break } }
    }
  }

  /// The fields of a head, each as long as a head may be.
  nonisolated(unsafe) static let fields: [Reader] = [
    field("if-none-match", "If-Match, If-None-Match", tags) { head in
      guard let precondition = try? Precondition(head) else { return }
      _ = try? precondition.isKnown(EntityTag(1))
    },
    field("accept", "Accept", { text($0, "a/b;c=\"", "\\\"") }) { head in
      _ = MediaType.preferred(accept: head.header("accept"), among: ["text/csv", "a/b"])
    },
    field("accept-encoding", "Accept-Encoding", { text($0, "", "\"\\\"") }) { head in
      _ = head.acceptsGzip()
    },
    field("content-type", "Content-Type", { text($0, "a/b;c=\"", "\\\"", "\"") }) { head in
      _ = MediaType(head.header("content-type") ?? "")
    },
    field("authorization", "Authorization", { text($0, "Bearer ", " _") }) { head in
      _ = head.bearerCredentials.flatMap(APIKey.init)
    },
    field("forwarded", "Forwarded", { text($0, "for=:", "\(flags);\"") }) { head in
      _ = ForwardedField.forwarded.addresses(head)
    },
    field("x-forwarded-for", "X-Forwarded-For", { text($0, "", ":,") }) { head in
      _ = ForwardedField.forwardedFor.addresses(head)
    },
    field("cookie", "fields that nobody reads", { text($0, "", "a=b; ") }) { head in
      _ = head.header("x-request-id")
    },
  ]

  nonisolated(unsafe) static let heads: [Reader] = [
    Reader("request head", upTo: limits.headerBytes) { bytes in
      let fields = String(repeating: "a:\(text(bytes / 100 - 4, "", "\t"))\r\n", count: 99)
      return Array("GET / HTTP/1.1\r\nHost: a\r\n\(fields)\r\n".utf8)
    } _: {
      parse($0)
    },
    Reader("request head, byte by byte", upTo: limits.headerBytes) { bytes in
      Array("GET / HTTP/1.1\r\nHost: a\r\n\(text(bytes, "a:", "b", "\r\n"))\r\n".utf8)
    } _: {
      parse($0, pieces: 1)
    },
    Reader("chunk lines", upTo: 64 << 10) { bytes in
      let start = "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
      return Array(text(bytes, start, "1;a\r\nx\r\n", "0\r\n\r\n").utf8)
    } _: {
      parse($0)
    },
    Reader("path", upTo: limits.requestLineBytes) {
      text($0, "/v1/apps/%2F", "/")
    } _: { path in
      var table = RouteTable()
      table.add(.get, "/v1/apps/{app}", route: 0)
      _ = table.match(method: .get, path: path)
    },
    Reader("query", upTo: limits.requestLineBytes) { bytes in
      let mark = text(bytes / 80, "", "%CC%A3%CC%81")
      return numbered(bytes) { "\(mark)\($0)&" }
    } _: { query in
      guard let parameters = QueryParameters(query) else { return }
      _ = parameters.names.count + parameters.all("tag").count
    },
    Reader("multipart body", upTo: Limits.catalogBodyBytes) { bytes in
      let part = "Content-Disposition: form-data; name=a\r\n\r\n\r\n--x"
      return Array(text(bytes, "--x\r\n", part + "\r\n", part + "--").utf8)
    } _: {
      _ = try? MultipartForm.parse($0, boundary: "x")
    },
    Reader("Content-Disposition", upTo: limits.multipartHeaderBytes) { bytes in
      let start = "--x\r\nContent-Disposition: form-data; name=\""
      return Array(text(bytes, start, "\\%22", "\"\r\n\r\n\r\n--x--").utf8)
    } _: {
      _ = try? MultipartForm.parse($0, boundary: "x")
    },
    Reader("Retry-After of a receiver", upTo: 64 << 10) {
      text($0, "", "0")
    } _: { text in
      _ = retryAfter(text, at: .init(microseconds: 0))
    },
  ]
}
