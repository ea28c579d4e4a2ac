import Foundation
import PostilionClient
import PostilionClientTesting
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// What `openapi.yaml` says of the calls that the client makes.
@Suite struct InMemoryServerTests {
  private static let id = UUID()
  private static let secret = String(repeating: "s", count: 43)
  private static let token = String(repeating: "a1", count: 32)
  private static let first: [String: PayloadValue] = [
    "platform": "ios", "environment": "production",
    "credentials": ["apns": ["token": .string(token)]],
  ]

  /// An answer: the status, the code of the problem, and the rest.
  private struct Answer {
    var status: Int
    var body: PayloadValue

    var code: String? { body["code"]?.string }

    /// What was left out or refused: `/tags too_many`.
    func faults(_ list: String) -> [String] {
      (body[list]?.array ?? []).map {
        "\($0["pointer"]?.string ?? "") \($0["code"]?.string ?? "")"
      }
    }
  }

  private func send(
    _ method: String, _ path: String = "installations/\(id)",
    _ report: [String: PayloadValue]? = nil, secret: String? = secret,
    key: String? = "pst_client_test", type: String = "application/json", to server: InMemoryServer
  ) async throws -> Answer {
    var request = URLRequest(
      url: server.configuration.server.appendingPathComponent("v1/apps/food/\(path)"))
    request.httpMethod = method
    request.setValue(
      secret, forHTTPHeaderField: "Postilion-Installation-Secret")
    request.setValue(key.map { "Bearer \($0)" }, forHTTPHeaderField: "Authorization")
    request.setValue(type, forHTTPHeaderField: "Content-Type")
    request.httpBody = report.map { PayloadValue.object($0).encoded() }
    let response = try await server.send(request)
    return Answer(
      status: response.status, body: PayloadValue(json: response.body) ?? .null)
  }

  @Test func anInstallationIsMadeReportedAndForgotten() async throws {
    let server = InMemoryServer()
    let path = "installations/\(Self.id)"
    #expect(try await send("PATCH", path, Self.first, to: server).code == "installation_not_found")
    let created = try await send("PUT", path, Self.first, to: server)
    #expect(created.status == 201)
    #expect(created.body["installation_id"]?.string == Self.id.uuidString.lowercased())
    #expect(created.body["applied"] == true)
    #expect(created.body["installation_secret"] == .string(Self.secret))
    let reported = try await send("PATCH", path, ["tags": ["a"], "user": ["id": "u"]], to: server)
    #expect(reported.status == 200)
    #expect(reported.body["tags"] == ["a"])
    #expect(reported.body["installation_secret"] == nil)
    #expect(reported.body["user"] == ["id": "u"])
    let cleared = try await send("PUT", path, ["tags": nil, "user": nil], to: server)
    #expect(cleared.body["tags"] == [])
    #expect(cleared.body["user"] == .null)
    #expect(cleared.body["credentials"]?["apns"]?["token"] == .string(Self.token))
    #expect(try await send("DELETE", path, to: server).status == 204)
    #expect(try await send("DELETE", path, to: server).code == "installation_not_found")
    #expect(await server.installations.isEmpty)
  }

  @Test(
    arguments: [
      ("PUT", "x", nil), ("PATCH", "x", nil), ("DELETE", "x", nil), ("GET", "x", nil),
      ("PUT", nil, "installation_secret_missing"), ("PATCH", nil, "installation_secret_missing"),
      ("PUT", "other", "installation_secret_wrong"),
      ("DELETE", "other", "installation_secret_wrong"),
      ("GET", "other", "installation_secret_wrong"),
    ] as [(String, String?, String?)])
  func aSecretIsNeeded(method: String, secret: String?, code: String?) async throws {
    let server = InMemoryServer()
    let own = String(repeating: "x", count: 32)
    #expect(
      try await send("PUT", "installations/\(Self.id)", Self.first, secret: own, to: server).status
        == 201)
    let report: [String: PayloadValue]? = ["PUT", "PATCH"].contains(method) ? [:] : nil
    let answer = try await send(
      method, "installations/\(Self.id)", report, secret: secret == "x" ? own : secret, to: server)
    #expect(answer.code == code)
    #expect(answer.status == (code == nil ? (method == "DELETE" ? 204 : 200) : 403))
  }

  @Test func whoSendsNoSecretIsGivenOne() async throws {
    let server = InMemoryServer()
    let path = "installations/\(Self.id)"
    let created = try await send("PUT", path, Self.first, secret: nil, to: server)
    let secret = try #require(created.body["installation_secret"]?.string)
    #expect(secret.count >= 32)
    #expect(try await send("PUT", path, [:], secret: secret, to: server).status == 200)
  }

  @Test(
    arguments: [
      (nil, "installations/\(id)", "application/json", "{}", 401, "missing_key"),
      ("other", "installations/\(id)", "application/json", "{}", 401, "invalid_key"),
      ("pst_client_test", "installations/7", "application/json", "{}", 422, "invalid_input"),
      (
        "pst_client_test", "installations/\(id)", "text/plain", "{}", 415, "unsupported_media_type"
      ),
      ("pst_client_test", "installations/\(id)", "application/json", "{", 400, "malformed_json"),
      ("pst_client_test", "installations/\(id)", "application/json", "[]", 422, "invalid_input"),
      ("pst_client_test", "nothing", "application/json", "{}", 404, "not_found"),
      ("pst_client_test", "failures", "application/json", "{}", 405, "method_not_allowed"),
      ("pst_client_test", "installations/\(id)", "application/json", "big", 413, "body_too_large"),
    ] as [(String?, String, String, String, Int, String)])
  func problemsHaveCodes(
    key: String?, path: String, type: String, body: String, status: Int, code: String
  ) async throws {
    let server = InMemoryServer()
    var request = URLRequest(
      url: server.configuration.server.appendingPathComponent("v1/apps/food/\(path)"))
    request.httpMethod = "PUT"
    request.setValue(key.map { "Bearer \($0)" }, forHTTPHeaderField: "Authorization")
    request.setValue(type, forHTTPHeaderField: "Content-Type")
    request.httpBody = body == "big" ? Data(repeating: 0x20, count: 65_537) : Data(body.utf8)
    let response = try await server.send(request)
    #expect(response.status == status)
    let problem = try #require(PayloadValue(json: response.body)?.object)
    #expect(problem["code"]?.string == code)
    for name in ["type", "title", "status", "code", "detail", "request_id"] {
      #expect(problem[name] != nil, "\(name)")
    }
  }

  @Test(
    arguments: [
      (["platform": "android"], ["/platform unknown_value"]),
      (["environment": true], ["/environment wrong_type"]),
      (["platform": "ios"], ["/environment missing_field"]),
      (["credentials": [:]], ["/platform missing_field", "/environment missing_field"]),
      (["credentials": []], ["/credentials wrong_type"]),
      (["credentials": ["apns": "a"]], ["/credentials/apns wrong_type"]),
      (["credentials": ["apns": [:]]], ["/credentials/apns/token missing_field"]),
      (
        ["credentials": ["apns": ["token": "740f4707"]]],
        ["/credentials/apns/token token_too_short"]
      ),
      (["credentials": ["voip": ["token": "xyz"]]], ["/credentials/voip/token token_not_hex"]),
      (["user": "u"], ["/user wrong_type"]), (["user": [:]], ["/user/id missing_field"]),
      (["user": ["id": ""]], ["/user/id too_short"]),
      (["reported_at": "yesterday"], ["/reported_at invalid_timestamp"]),
      (["reported_at": 7], ["/reported_at wrong_type"]),
    ] as [([String: PayloadValue], [String])])
  func whatIsWrongIsRefusedWhole(
    report: [String: PayloadValue], faults: [String]
  ) async throws {
    let server = InMemoryServer()
    let answer = try await send("PUT", "installations/\(Self.id)", report, to: server)
    #expect(answer.status == 422)
    #expect(answer.code == "invalid_input")
    #expect(answer.faults("errors") == faults)
    #expect(await server.installations.isEmpty)
  }

  @Test(
    arguments: [
      ("languages", ["en", 1], "/languages/1 wrong_type", ["en"]),
      ("languages", ["not a tag", "en"], "/languages/0 invalid_language", ["en"]),
      ("locale", "C", "/locale invalid_locale", nil),
      ("time_zone", "Mars/Olympus_Mons", "/time_zone unknown_time_zone", nil),
      ("app_version", "3.2-beta", "/app_version unreadable_version", nil),
      ("os_version", true, "/os_version wrong_type", nil),
      ("device_model", .string(String(repeating: "a", count: 65)), "/device_model too_long", nil),
      ("localization", "device", "/localization unknown_value", "auto"),
      (
        "authorization", ["status": "granted"], "/authorization/status unknown_value", nil
      ),
      ("authorization", ["alert": true], "/authorization/status missing_field", nil),
      (
        "authorization", ["status": "denied", "banner": true],
        "/authorization/banner unknown_field", ["status": "denied"]
      ),
      ("background_refresh", "on", "/background_refresh unknown_value", nil),
      ("tags", "beta", "/tags wrong_type", []),
      (
        "tags", .array((0..<61).map { .string("\($0)") }), "/tags too_many",
        .array((0..<60).map { .string("\($0)") })
      ),
      ("attributes", ["a": [1], "b": 2], "/attributes/a wrong_type", ["b": 2]),
      ("device_token", "740f", "/device_token unknown_field", nil),
    ] as [(String, PayloadValue, String, PayloadValue)])
  func whatCannotBeKeptIsLeftOut(
    field: String, value: PayloadValue, ignored: String, kept: PayloadValue
  ) async throws {
    let server = InMemoryServer()
    var report = Self.first
    report[field] = value
    let answer = try await send("PUT", "installations/\(Self.id)", report, to: server)
    #expect(answer.status == 201)
    #expect(answer.faults("ignored") == [ignored])
    #expect((answer.body[field] ?? .null) == kept)
  }

  @Test func anOlderReportChangesNothing() async throws {
    let now = Date(timeIntervalSince1970: 1_800_000_000)
    let server = InMemoryServer(now: { now })
    let path = "installations/\(Self.id)"
    func report(_ seconds: TimeInterval, _ tag: String) async throws -> Answer {
      var report = Self.first
      report["tags"] = [.string(tag)]
      report["reported_at"] = .string(
        ISO8601DateFormatter().string(from: now.addingTimeInterval(seconds)))
      return try await send("PUT", path, report, to: server)
    }
    #expect(try await report(-10, "a").body["applied"] == true)
    let old = try await report(-11, "b")
    #expect(old.status == 200)
    #expect(old.body["applied"] == false)
    #expect(old.body["tags"] == ["a"])
    #expect(try await report(-10, "c").body["tags"] == ["c"])
    // A time in the future counts as now.
    let future = try await report(1000, "d")
    #expect(future.body["reported_at"] == "2027-01-15T08:00:00.000Z")
    #expect(try await report(0, "e").body["tags"] == ["e"])
  }

  @Test func tokensMoveAndEnvironmentsNeedThem() async throws {
    let server = InMemoryServer()
    let (one, two) = ("installations/\(UUID())", "installations/\(UUID())")
    #expect(try await send("PUT", one, Self.first, to: server).status == 201)
    #expect(try await send("PUT", two, Self.first, to: server).status == 201)
    #expect(try await send("GET", one, to: server).body["credentials"] == [:])
    let sandbox: [String: PayloadValue] = ["environment": "sandbox"]
    #expect(try await send("PUT", two, sandbox, to: server).code == "environment_needs_tokens")
    let whole: [String: PayloadValue] = ["environment": "sandbox", "credentials": nil]
    let changed = try await send("PUT", two, whole, to: server)
    #expect(changed.body["environment"] == "sandbox")
    #expect(changed.body["credentials"] == [:])
  }

  @Test func aBackendsInstallationIsClaimedByItsTokenOrContinued() async throws {
    let server = InMemoryServer()
    var stored = Self.first
    stored["user"] = ["id": "u42"]
    stored["tags"] = ["vip"]
    #expect(await server.addInstallation(Self.id, stored) == nil)
    let path = "installations/\(Self.id)"
    #expect(try await send("PATCH", path, [:], to: server).code == "installation_claim_needed")
    #expect(try await send("PUT", path, Self.first, to: server).status == 200)
    #expect(try await send("PATCH", path, [:], to: server).status == 200)

    let other = UUID()
    let token: PayloadValue = .string(String(repeating: "b2", count: 32))
    stored["credentials"] = ["apns": ["token": token]]
    #expect(await server.addInstallation(other, stored) == nil)
    var own = Self.first
    own["credentials"] = ["apns": ["token": token]]
    let continued = try await send("PUT", "installations/\(UUID())", own, to: server)
    #expect(continued.body["user"] == ["id": "u42"])
    #expect(continued.body["tags"] == ["vip"])
    #expect(await server.installation(other)?["user"] == .null)
    #expect(await server.installation(other)?["tags"] == [])
  }

  /// Of an installation of another person the token alone moves.
  @Test func anotherPersonGetsNothingOfABackendsInstallation() async throws {
    let server = InMemoryServer()
    var stored = Self.first
    stored["user"] = ["id": "u42"]
    stored["tags"] = ["vip"]
    #expect(await server.addInstallation(Self.id, stored) == nil)
    var own = Self.first
    own["user"] = ["id": "u43"]
    let moved = try await send("PUT", "installations/\(UUID())", own, to: server)
    #expect(moved.body["user"] == ["id": "u43"])
    #expect(moved.body["tags"] == [])
    #expect(await server.installation(Self.id)?["user"] == ["id": "u42"])
    #expect(await server.installation(Self.id)?["credentials"] == [:])
  }

  @Test func failuresAreStoredOnce() async throws {
    let server = InMemoryServer()
    let failure: [String: PayloadValue] = [
      "id": .string(UUID().uuidString.lowercased()), "kind": "apns",
      "error": ["domain": "NSCocoaErrorDomain", "code": 3000],
    ]
    let first = try await send("POST", "failures", failure, to: server)
    #expect(first.status == 201)
    #expect(first.body["id"] == failure["id"])
    #expect(try await send("POST", "failures", failure, to: server).status == 200)
    #expect(await server.failures == [failure])
    let wrong = try await send("POST", "failures", ["kind": "web"], to: server)
    #expect(wrong.faults("errors") == ["/kind unknown_value", "/error missing_field"])
  }
}
