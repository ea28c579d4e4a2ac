import AppTesting
import Testing

@testable import Registry

/// What every route has in common: the outer form of requests and answers.
@Suite struct EdgeTests {
  @Test(
    arguments: Transport.allCases,
    [
      "/console", "/v1", "/v1/", "/v1/app", "/v1/apps/", "/v2/apps", "/v1/apps/a/b", "/healthz/",
      "/%2e%2e/x",
    ])
  func anUnknownPathIsNotFound(transport: Transport, path: String) async throws {
    let service = try await TestService.shared()
    for method in ["GET", "POST", "BREW"] {
      let reply = try await service.client(transport).send(method, path)
      #expect(reply.status == 404)
      #expect(reply.problem == "not_found")
    }
  }

  @Test(
    arguments: Transport.allCases,
    [
      ("/healthz", "POST", ["GET", "HEAD"]), ("/v1/apps", "PUT", ["GET", "HEAD"]),
      ("/v1/apps/a/keys", "PATCH", ["GET", "HEAD", "POST"]),
      ("/v1/apps/a/installations", "DELETE", ["GET", "HEAD"]),
      ("/v1/apps/a/installations/x", "POST", ["DELETE", "GET", "HEAD", "PATCH", "PUT"]),
      ("/v1/languages/match", "GET", ["POST"]),
    ] as [(String, String, [String])])
  func aMethodThatAPathDoesNotKnowIsToldWhatItTakes(
    transport: Transport, row: (path: String, method: String, allow: [String])
  ) async throws {
    let reply = try await TestService.shared().client(transport).send(row.method, row.path)
    #expect(reply.status == 405)
    #expect(reply.problem == "method_not_allowed")
    let allowed = (reply["allow"] ?? "").split(separator: ",").map {
      String($0.drop { $0 == " " })
    }
    #expect(Set(allowed) == Set(row.allow))
  }

  @Test(
    arguments: Transport.allCases,
    ["", "{", "nope", "{\"platform\": \"ios\"", "{\"a\":1}{", "\u{FEFF}\u{0}"] + [
      String(repeating: "[", count: 600) + String(repeating: "]", count: 600)
    ])
  func whatIsNoJSONIsMalformed(transport: Transport, body: String) async throws {
    let app = try await TestApp.make(transport)
    let reply = try await app.client.send(
      "PUT", app.installation(Sample.id()), body: Array(body.utf8),
      fields: [("Content-Type", "application/json")])
    #expect(reply.status == 400)
    #expect(reply.problem == "malformed_json")
    #expect(try await app.stored() == "0 0 0 0")
  }

  @Test(arguments: Transport.allCases)
  func bytesThatAreNoUTF8AreMalformed(transport: Transport) async throws {
    let app = try await TestApp.make(transport)
    let reply = try await app.client.send(
      "PUT", app.installation(Sample.id()),
      body: Array("{\"a\":\"".utf8) + [0xFF, 0xFE, 0x22, 0x7D],
      fields: [("Content-Type", "application/json")])
    #expect(reply.status == 400)
    #expect(reply.problem == "malformed_json")
  }

  @Test(
    arguments: Transport.allCases,
    [
      (
        "{\n  \"platform\": \"ios\",\n}", "malformed_json", "", [23, 3, 1],
        "At line 3, column 1 (byte 23): Expected a member's name in quotation marks, not `}`."
      ),
      (
        "", "malformed_json", "", [0, 1, 1],
        "At line 1, column 1 (byte 0): There is no JSON here, the text is empty."
      ),
      (
        #"{"user": {"id": "a", "\u0069d": "b"}}"#, "duplicate_member", "/user/id", [21, 1, 22],
        "At line 1, column 22 (byte 21): The object has a member of this name already; "
          + "send it once."
      ),
    ] as [(String, String, String, [JSON], String)])
  func aBodyThatCannotBeReadIsToldWhere(
    transport: Transport,
    row: (body: String, code: String, pointer: String, place: [JSON], detail: String)
  ) async throws {
    let app = try await TestApp.make(transport)
    let reply = try await app.client.send(
      "PUT", app.installation(Sample.id()), body: Array(row.body.utf8))
    #expect(reply.status == 400)
    #expect(reply.problem == row.code)
    #expect(reply.faults == ["\(row.pointer) \(row.code)"])
    let fault = reply.json["errors"][0]
    #expect(["byte", "line", "column"].map { fault[$0] } == row.place)
    #expect(reply.json["detail"].string == row.detail)
  }

  @Test(arguments: Transport.allCases, ["listApps", "putApp", "putCatalog", "importInstallations"])
  func aBodyIsNotCompressed(transport: Transport, operation: String) async throws {
    let app = try await TestApp.make(transport)
    let route = try Route(operation, slug: app.slug)
    let client = app.service.client(transport)
    for coding in ["gzip", "br", "Identity"] {
      let reply = try await client.send(
        route.method, route.path, body: Array("{}".utf8), fields: [("Content-Encoding", coding)])
      let isRefused = coding != "Identity" && operation != "listApps"
      #expect((reply.problem == "unsupported_content_encoding") == isRefused)
      #expect(!isRefused || reply.status == 415)
    }
  }

  @Test(arguments: Transport.allCases, ["[]", "1", "\"a\"", "null"])
  func jsonThatIsNoObjectIsRefused(transport: Transport, body: String) async throws {
    let app = try await TestApp.make(transport)
    let reply = try await app.client.send(
      "PUT", app.installation(Sample.id()), body: Array(body.utf8))
    #expect(reply.status == 422)
    #expect(reply.faults == [" wrong_type"])
  }

  @Test(
    arguments: Transport.allCases,
    [
      ("text/plain", 415), ("application/x-www-form-urlencoded", 415), ("json", 415),
      ("application/json", 201), ("Application/JSON; charset=utf-8", 201), (nil, 201),
    ] as [(String?, Int)])
  func aBodyHasItsMediaType(transport: Transport, row: (type: String?, status: Int)) async throws {
    let app = try await TestApp.make(transport)
    let reply = try await app.client.send(
      "PUT", app.installation(Sample.id()), body: Array(Sample.report().text.utf8),
      fields: row.type.map { [("Content-Type", $0)] } ?? [])
    #expect(reply.status == row.status)
    #expect(reply.problem == (row.status == 415 ? "unsupported_media_type" : nil))
  }

  @Test(arguments: Transport.allCases, [(0, 201), (1, 413)])
  func aBodyHasAnUpperBound(transport: Transport, row: (over: Int, status: Int)) async throws {
    let app = try await TestApp.make(transport)
    let report = Sample.report().text
    let padding = String(repeating: " ", count: 65_536 - report.utf8.count + row.over)
    let reply = try await app.client.send(
      "PUT", app.installation(Sample.id()), body: Array((report + padding).utf8))
    #expect(reply.status == row.status)
    #expect(reply.problem == (row.over == 0 ? nil : "body_too_large"))
    let sizes = "The body has 65537 bytes; here at most 65536 are taken."
    #expect(row.over == 0 || reply.json["detail"].string == sizes)
    #expect(try await app.stored() == (row.over == 0 ? "1 1 0 0" : "0 0 0 0"))
  }

  /// A body in chunks tells its length only at its end.
  @Test func aChunkedBodyHasTheSameBound() async throws {
    let app = try await TestApp.make(.socket)
    let request = """
      PUT \(app.installation(Sample.id())) HTTP/1.1\r\nHost: a\r\n\
      Authorization: Bearer \(app.keys["client"] ?? "")\r\nTransfer-Encoding: chunked\r\n\r\n
      """
    let port = app.service.port
    let reply = try await blocking {
      let wire = try Wire(port: port)
      try wire.send(Array(request.utf8))
      let chunk = Array("4000\r\n".utf8) + Array(repeating: 0x20, count: 0x4000) + [13, 10]
      for _ in 0..<5 { try wire.send(chunk) }
      return try wire.receive()
    }
    #expect(reply.status == 413)
    #expect(reply.problem == "body_too_large")
  }

  @Test(
    arguments: Transport.allCases,
    [
      ("abc-1.2_X", true), (String(repeating: "r", count: 64), true),
      (String(repeating: "r", count: 65), false), ("a b", false), ("é", false), ("a\"b", false),
    ])
  func aRequestIDIsTakenWhenItIsPlain(
    transport: Transport, row: (id: String, isTaken: Bool)
  ) async throws {
    let reply = try await TestService.shared().client(transport).send(
      "GET", "/v1/nothing", fields: [("X-Request-Id", row.id)])
    let id = try #require(reply["x-request-id"])
    #expect((id == row.id) == row.isTaken)
    #expect(!id.isEmpty)
    #expect(reply.json["request_id"] == .string(id))
  }

  @Test(arguments: Transport.allCases)
  func aRequestIDNamesTheRequestInTheLog(transport: Transport) async throws {
    let service = try await TestService.shared()
    let id = Sample.id()
    _ = try await service.client(transport).send(
      "GET", "/v1/apps/none", fields: [("X-Request-Id", id)])
    let record = try #require(service.log.records.first { $0["request_id"] == .string(id) })
    #expect(record["event"] == "request")
    #expect(record["operation"] == "getApp")
    #expect(record["status"] == 404)
    #expect(record["code"] == "app_not_found")
    let other = try await service.client(transport).get("/healthz")["x-request-id"]
    #expect(try await service.client(transport).get("/healthz")["x-request-id"] != other)
  }

  @Test(arguments: Transport.allCases)
  func anAnswerSaysWhereItsTimeWent(transport: Transport) async throws {
    let app = try await TestApp.make(transport)
    let timing = try #require(try await app.admin.get(app.path)["server-timing"])
    let parts = timing.split(separator: ", ").map { $0.split(separator: ";dur=") }
    #expect(parts.map { $0.first } == ["decode", "perform", "encode"])
    #expect(parts.allSatisfy { $0.count == 2 && Double($0[1]) != nil })
  }

  @Test func anAnswerToHeadHasNoBody() async throws {
    let app = try await TestApp.make(.socket)
    let port = app.service.port
    let request = """
      HEAD \(app.path) HTTP/1.1\r\nHost: a\r\n\
      Authorization: Bearer \(app.keys["admin"] ?? "")\r\n\r\n\
      GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n
      """
    let text = try await blocking {
      let wire = try Wire(port: port)
      try wire.send(Array(request.utf8))
      return try (wire.receiveHead(), wire.receive())
    }
    #expect(text.0.status == 200)
    #expect(text.1.text.hasPrefix("ok\n"))
  }
}
