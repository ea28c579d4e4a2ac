import App
import AppTesting
import Testing

/// What operators and their machines ask.
@Suite struct OperationsTests {
  @Test(arguments: Transport.allCases)
  func probesAnswerInWords(transport: Transport) async throws {
    let client = try await TestService.shared().client(transport, key: nil)
    let health = "ok\npostilion \(Service.version)\n"
    for (path, text) in [("/healthz", health), ("/readyz", "ready\n")] {
      var reply = try await client.get(path)
      // A database that is busy is not ready within its second.
      try await eventually {
        if reply.status != 200 { reply = try await client.get(path) }
        return reply.status == 200
      }
      // A server of tests may lose what it has, and says so.
      let warnings = [
        "",
        "degraded: fsync and full_page_writes are off: if the machine of the "
          + "database crashes, what was acknowledged may be lost or damaged.\n",
      ]
      #expect(warnings.contains { reply.text == text + $0 })
      #expect(reply["content-type"] == "text/plain; charset=utf-8")
    }
  }

  @Test(arguments: Transport.allCases)
  func metricsCountRequestsByOperation(transport: Transport) async throws {
    let service = try await TestService.start()
    let client = service.client(transport)
    for _ in 0..<3 { _ = try await client.get("/v1/apps") }
    _ = try await client.get("/v1/apps/none")
    _ = try await client.get("/nothing")
    let reply = try await client.get("/metrics")
    #expect(reply["content-type"]?.hasPrefix("text/plain; version=0.0.4") == true)
    for line in [
      #"postilion_http_requests_total{operation="listApps",status="2xx"} 3"#,
      #"postilion_http_requests_total{operation="getApp",status="4xx"} 1"#,
      #"postilion_http_requests_total{operation="unrouted",status="4xx"} 1"#,
      #"postilion_http_request_duration_seconds_count{operation="listApps"} 3"#,
      "# TYPE postilion_database_connections gauge",
    ] {
      #expect(reply.text.contains(line), "\(line)")
    }
    await service.stop()
  }

  @Test(arguments: Transport.allCases)
  func theContractIsServed(transport: Transport) async throws {
    let reply = try await TestService.shared().client(transport, key: nil).get("/openapi.yaml")
    #expect(reply["content-type"] == "application/yaml")
    #expect(reply.text.hasPrefix("openapi: 3.1"))
    #expect(reply.text.contains("\n  version: \(Service.version)\n"))
    #expect(Service.version.split(separator: ".").compactMap { Int($0) }.count == 3)
  }

  @Test(
    arguments: Transport.allCases,
    [
      (["fr-CA", "en"], ["en", "fr"], ["fr"]),
      (["zh-Hant-HK"], ["zh-Hans", "zh-Hant"], ["zh-Hant"]),
      (["pt-PT"], ["pt-BR", "pt-PT", "en"], ["pt-PT"]), ([], ["en"], []),
    ] as [([String], [String], [String])])
  func languagesAreMatched(
    transport: Transport, row: (preferred: [String], available: [String], first: [String])
  ) async throws {
    let app = try await TestApp.make(transport)
    for client in [app.client, app.sender, app.admin] {
      let reply = try await client.post(
        "/v1/languages/match",
        [
          "preferred": .array(row.preferred.map { .string($0) }),
          "available": .array(row.available.map { .string($0) }),
        ])
      #expect(reply.status == 200)
      #expect(reply.json["chosen"].elements.first == row.first.first.map { .string($0) })
    }
  }

  @Test(
    arguments: Transport.allCases,
    [
      ([:], ["/available missing_field", "/preferred missing_field"]),
      (["preferred": [7], "available": ["en"]], ["/preferred/0 wrong_type"]),
      (["preferred": "en", "available": ["en"]], ["/preferred wrong_type"]),
      (["preferred": [], "available": [], "lang": 1], ["/lang unknown_field"]),
      (
        ["preferred": .array((0..<51).map { .string("en-\($0 + 100)") }), "available": []],
        ["/preferred too_many"]
      ),
    ] as [(JSON, [String])])
  func aMatchThatIsWrongIsRefused(transport: Transport, row: (JSON, [String])) async throws {
    let reply = try await TestService.shared().client(transport).post(
      "/v1/languages/match", row.0)
    #expect(reply.status == 422)
    #expect(reply.faults.sorted() == row.1)
  }

  /// With a key that anybody can have, a match has the localizations of one app.
  @Test func aClientMatchesOneApp() async throws {
    let app = try await TestService.shared().app()
    for (count, status) in [(128, 200), (129, 422)] {
      let available = JSON.array((0..<count).map { .string("en-\($0 + 100)") })
      let question: JSON = ["preferred": ["en"], "available": available]
      let reply = try await app.client.post("/v1/languages/match", question)
      #expect(reply.status == status)
      let backend = try await app.sender.post("/v1/languages/match", question)
      #expect(backend.status == 200)
    }
  }

  @Test func whatIsNoLanguageMatchesNothing() async throws {
    let client = try await TestService.shared().client()
    for (preferred, chosen) in [
      (["", "-US", "@calendar=hebrew", "-u-ca-hebrew", "!"], []), (["", "fr"], ["fr"]),
    ] as [(JSON, JSON)] {
      let reply = try await client.post(
        "/v1/languages/match", ["preferred": preferred, "available": ["en", "", "../..", "fr"]])
      #expect(reply.status == 200)
      #expect(reply.json["chosen"] == chosen)
    }
  }
}
