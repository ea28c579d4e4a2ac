import AppTesting
import Postgres
import Testing

/// Arguments that are more than a text, from the call to the finished alert.
@Suite struct TypedArgumentTests {
  private static let files = [
    (
      path: "en.lproj/Localizable.strings",
      text: "\"READY\" = \"%@ is ready\";\n\"SOUP\" = \"Soup with %@\";\n\"EGG\" = \"egg\";\n"
    ),
    (
      path: "de.lproj/Localizable.strings",
      text: "\"READY\" = \"%@ ist fertig\";\n\"SOUP\" = \"Suppe mit %@\";\n"
    ),
  ]

  /// What a German device with the catalog above gets, rendered by a service.
  private func render(
    _ service: TestService, _ transport: Transport, _ parameter: JSON, _ value: JSON,
    device: [String: JSON] = [:]
  ) async throws -> JSON {
    let german: [String: JSON] = ["languages": ["de-AT"], "locale": "de_AT"]
    let scene = try await Scene(
      transport, service: service, files: Self.files, devices: [german.merging(device) { $1 }])
    let message: JSON = [
      "alert": ["body": ["key": "READY", "args": ["what"]]], "parameters": ["what": parameter],
      "isolate_arguments": true,
    ]
    let reply = try await scene.render(
      message, arguments: ["what": value], more: ["explain": true])
    #expect(reply.status == 200)
    return reply.json
  }

  @Test(arguments: Transport.allCases)
  func anArgumentMayBeAKey(transport: Transport) async throws {
    let reply = try await render(
      .shared(), transport, ["type": "string"],
      ["loc-key": "SOUP", "loc-args": [["loc-key": "EGG"]]],
      device: ["capabilities": ["loc-key"]])
    #expect(reply["payload"]["aps"]["alert"]["body"] == "Suppe mit egg ist fertig")
    #expect(reply["mode"] == "server")
    #expect(reply["explain"]["mode"] == "argument_not_text")
    #expect(
      reply["problems"].elements.map { $0["code"].string }
        == ["key_not_in_localization", "development_language_used"])
  }

  @Test(arguments: ["client", "server"])
  func argumentsOfTheOtherDirectionAreSetApartInBothModes(mode: String) async throws {
    let reply = try await render(
      .shared(), .inProcess, ["type": "string"], "דנה",
      device: ["localization": .string(mode)])
    let name = "\u{2068}דנה\u{2069}"
    let alert = reply["payload"]["aps"]["alert"]
    #expect(alert["body"].string == "\(name) ist fertig")
    #expect(alert["loc-args"] == (mode == "client" ? [.string(name)] : .absent))
    #expect(reply["mode"].string == mode)
  }

  @Test(arguments: Transport.allCases)
  func aRelativeDateIsSeenFromNowAndProblemsAreCounted(transport: Transport) async throws {
    let service = try await TestService.start(
      clock: { Timestamp(microseconds: 1_700_000_000_000_000) })
    let dated = try await render(
      service, transport, ["type": "relative_date"], "2023-11-15T00:13:20Z")
    #expect(dated["payload"]["aps"]["alert"]["body"] == "in 2 Stunden ist fertig")
    #expect(dated["problems"] == [])

    for _ in 0..<2 {
      _ = try await render(service, transport, ["type": "string"], ["loc-key": "NOWHERE"])
    }
    _ = try await render(service, transport, ["type": "date"], 1_700_000_000)
    let metrics = try await service.client(transport).get("/metrics").text
    for line in [
      "# TYPE postilion_render_problems_total counter",
      #"postilion_render_problems_total{code="missing_key"} 2"#,
      #"postilion_render_problems_total{code="time_zone_unknown"} 1"#,
    ] {
      #expect(metrics.contains(line), "\(line)")
    }
    await service.stop()
  }
}
