internal import DeviceProfile
internal import HTTP
internal import JSON
internal import Localization
internal import Rendering

/// Steps of a request.
enum RequestOperations {
  static func all() throws(Fault) -> [Operation] {
    [
      Operation(name: "parse an HTTP request", run: parse()),
      Operation(name: "render one payload, warm catalog", run: try render()),
    ]
  }

  /// A registration as wrk sends it.
  private static func parse() -> () throws(Fault) -> Int {
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
    let device = Device(languages: TextOperations.preferred)
    let catalog = try FileOperations.catalog()
    let catalogs = DeviceCatalogs(server: CatalogView(catalog, for: TextOperations.preferred))
    return { () throws(Fault) in
      renderer.content(for: device, catalogs: catalogs).payload.count
    }
  }
}
