internal import CatalogFormats
internal import HTTP
internal import JSON
internal import Localization
internal import Rendering

/// Single steps of the pure targets, without socket or database.
enum Micro {
  static func rows() throws(Fault) -> [Row] {
    [
      try row("parse an HTTP request", parse),
      try row("match languages", match),
      try row("match languages, remembered", matchRemembered),
      try row("render one payload, warm catalog", render),
      try strings(),
    ]
  }

  private static func row(
    _ what: String, _ prepare: () throws(Fault) -> () throws(Fault) -> Int
  ) throws(Fault) -> Row {
    let operation = try prepare()
    return Row(
      name: "micro", what: what, value: try Timing.nanoseconds(operation), unit: "ns", bar: .none)
  }

  /// A registration as wrk sends it.
  private static func parse() throws(Fault) -> () throws(Fault) -> Int {
    let body = String(repeating: "x", count: 600)
    let request = Array(
      """
      PUT /v1/apps/bench/installations/9e3779b1-0000-4000-8000-000000000001 HTTP/1.1\r
      Host: localhost\r
      Content-Type: application/json\r
      Authorization: Bearer pst_sender_0123456789abcdef0123456789abcdef\r
      Content-Length: 600\r
      \r
      \(body)
      """.utf8)
    var parser = RequestParser()
    return { () throws(Fault) in
      do {
        parser.append(request)
        var events = 0
        while let event = try parser.next() {
          events += 1
          if case .end = event { break }
        }
        return events
      } catch {
        throw Fault("the request does not parse: \(error)")
      }
    }
  }

  private static let preferred = ["zh-Hant-HK", "en-GB"].compactMap { LanguageTag($0) }

  private static func match() throws(Fault) -> () throws(Fault) -> Int {
    let catalog = try catalog()
    return { () throws(Fault) in catalog.chain(for: preferred).count }
  }

  private static func matchRemembered() throws(Fault) -> () throws(Fault) -> Int {
    let catalog = try catalog()
    var memo = MatchMemo()
    return { () throws(Fault) in
      memo.chain(for: preferred, in: catalog, catalogID: 1).count
    }
  }

  private static func render() throws(Fault) -> () throws(Fault) -> Int {
    let message: Message
    let arguments: Arguments
    do {
      let json = JSONValue(
        parsing: Array(
          """
          {"alert": {"title": {"key": "FOOD_ORDERED", "catalog": "server"},
             "body": {"key": "FOOD_READY_FOR", "args": ["name", "order"], "catalog": "server"}},
           "parameters": {"name": {"type": "string"}, "order": {"type": "string"}},
           "sound": "default"}
          """.utf8))
      let values = JSONValue.object(["name": .string("Ana"), "order": .string("A17")])
      message = try (json ?? .null).read { Message(reading: $0) }.body
      arguments = try values.read { Arguments(reading: $0, for: message) }.body
    } catch {
      throw Fault("the message does not decode: \(error)")
    }
    let renderer = Renderer(
      message: message, arguments: arguments,
      app: AppFacts(bundleID: "com.example.bench", developmentLanguage: "en"),
      options: RenderOptions(localization: .server), now: 1_800_000_000)
    let device = Device(
      token: String(repeating: "740f4707", count: 8), environment: .production, platform: .ios,
      languages: preferred)
    let catalogs = Catalogs(server: CatalogView(try catalog(), for: preferred))
    return { () throws(Fault) in
      renderer.request(
        for: device, catalogs: catalogs, id: "9e3779b1-0000-4000-8000-000000000001"
      ).payload.count
    }
  }

  private static func catalog() throws(Fault) -> Catalog {
    let files = CatalogUpload.files.map { SourceFile(path: $0.path, bytes: Array($0.text.utf8)) }
    let result = CatalogImporter.read(files, developmentLanguage: "en")
    guard !result.hasErrors else { throw Fault("the catalog does not read") }
    return result.catalog
  }

  /// Megabytes of `.strings` for each second.
  private static func strings() throws(Fault) -> Row {
    let text = (1...2000).map { "/* Shown at the top */\n\"KEY_\($0)\" = \"Text %@ \($0)\";\n" }
    let file = SourceFile(path: "en.lproj/Localizable.strings", bytes: Array(text.joined().utf8))
    let nanoseconds = try Timing.nanoseconds { () throws(Fault) in
      StringsParser.parse(file).entries?.count ?? 0
    }
    return Row(
      name: "micro", what: "parse .strings", value: Double(file.bytes.count) * 1e3 / nanoseconds,
      unit: "MB/s", bar: .none)
  }
}
