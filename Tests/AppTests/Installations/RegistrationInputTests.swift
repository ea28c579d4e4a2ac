import AppTesting
import JSON
import Testing

/// What becomes of a report that is not as the contract says.
@Suite struct RegistrationInputTests {
  /// A full report with one thing changed.
  struct Row: Sendable, CustomTestStringConvertible {
    let place: [String]
    let value: JSON
    let expected: String
    /// What is stored of it, when it is not refused.
    let kept: JSON

    init(_ place: String, _ value: JSON, _ expected: String, kept: JSON = .absent) {
      self.place = place.split(separator: "/").map(String.init)
      self.value = value
      self.expected = expected
      self.kept = kept
    }

    var report: JSON { Self.setting(place[...], of: Sample.fullReport(), to: value) }
    var testDescription: String {
      "\(place.joined(separator: "/")) = \(value.text.prefix(60)) → \(expected)"
    }

    private static func setting(_ place: ArraySlice<String>, of json: JSON, to value: JSON) -> JSON
    {
      guard let name = place.first else { return value }
      var json = json
      json[name] = setting(place.dropFirst(), of: json[name], to: value)
      return json
    }
  }

  private static func letters(_ count: Int) -> JSON {
    .string(String(repeating: "a", count: count))
  }
  private static func many(_ count: Int) -> JSON { .array((0..<count).map { .string("t\($0)") }) }
  private static func wide(_ count: Int, _ value: JSON) -> JSON {
    .object(Dictionary(uniqueKeysWithValues: (0..<count).map { ("n\($0)", value) }))
  }
  private static let token = "/credentials/apns/token"

  static let wrongTypes = [
    Row("platform", 1, "/platform wrong_type"),
    Row("platform", .null, "/platform wrong_type"),
    Row("environment", true, "/environment wrong_type"),
    Row("environment", .null, "/environment wrong_type"),
    Row("credentials", [], "/credentials wrong_type"),
    Row("credentials/apns", "740f", "/credentials/apns wrong_type"),
    Row("credentials/apns/token", 740, "/credentials/apns/token wrong_type"),
    Row("credentials/apns/token", .null, "/credentials/apns/token wrong_type"),
    Row("credentials/apns", [:], "/credentials/apns/token missing_field"),
    Row("user", "u42", "/user wrong_type"),
    Row("user/id", 42, "/user/id wrong_type"),
    Row("user", [:], "/user/id missing_field"),
    Row("reported_at", 1_714_678_361, "/reported_at wrong_type"),
  ]

  static let wrongIDs = [
    Row("user/id", "", "/user/id too_short"),
    Row("user/id", letters(257), "/user/id too_long"),
    Row("user/id", "u\u{0}", "/user/id contains_nul"),
  ]

  static let wrongValues = [
    Row("platform", "android", "/platform unknown_value"),
    Row("platform", "iOS", "/platform unknown_value"),
    Row("platform", .absent, "/platform missing_field"),
    Row("environment", "development", "/environment unknown_value"),
    Row("environment", .absent, "/environment missing_field"),
    Row("reported_at", "yesterday", "/reported_at invalid_timestamp"),
    Row("reported_at", "2026-02-30T00:00:00Z", "/reported_at invalid_timestamp"),
    Row("credentials/apns/token", "", "\(token) token_too_short"),
    Row("credentials/apns/token", "740f4707", "\(token) token_too_short"),
    Row(
      "credentials/apns/token", "740f4707bebcf74f9b7c25d48e335894 5f6aa01da5ddb387462c7eaf61bb78a",
      "\(token) token_odd_length"),
    Row(
      "credentials/apns/token", .string(String(repeating: "ab", count: 513)),
      "\(token) token_too_long"),
    Row(
      "credentials/apns/token", "dA9HB768902bfCXUjjNYlF9qoB2l3bOHRix+r2G7eK0=",
      "\(token) token_base64"),
    Row(
      "credentials/apns/token", "cRx3Wq1vTk6:APA91bFoo_bar-baz0123456789abcdefghijklmnop",
      "\(token) token_firebase"),
    Row(
      "credentials/apns/token", "{length = 32, bytes = 0x740f4707 bebcf74f ... 61bb78ad }",
      "\(token) token_description"),
    Row("credentials/apns/token", "32 bytes", "\(token) token_description"),
    Row(
      "credentials/apns/token", "0x740f4707bebcf74f9b7c25d48e3358945f6aa01d",
      "\(token) token_not_hex"),
    Row("credentials/voip/token", "xyz", "/credentials/voip/token token_not_hex"),
  ]

  @Test(arguments: Transport.allCases, wrongTypes + wrongIDs + wrongValues)
  func aReportThatIsWrongIsRefusedWhole(transport: Transport, row: Row) async throws {
    let app = try await Self.app(transport)
    let reply = try await app.client.put(app.installation(Sample.id()), row.report)
    #expect(reply.status == 422)
    #expect(reply.problem == "invalid_input")
    #expect(reply.faults == [row.expected])
    #expect(reply.json["errors"][0]["detail"].string?.isEmpty == false)
    #expect(try await app.stored() == "0 0 0 0")
  }

  static let secondary = [
    Row("languages", "en", "/languages wrong_type", kept: []),
    Row("languages", ["en", 1], "/languages/1 wrong_type", kept: ["en"]),
    Row("languages", [.null, "en"], "/languages/0 wrong_type", kept: ["en"]),
    Row("locale", 1, "/locale wrong_type", kept: .null),
    Row("locale", "", "/locale invalid_locale", kept: .null),
    Row("locale", "C", "/locale invalid_locale", kept: .null),
    Row("locale", "garbage!!", "/locale invalid_locale", kept: .null),
    Row("time_zone", ["UTC"], "/time_zone wrong_type", kept: .null),
    Row("app_version", 3.2, "/app_version wrong_type", kept: .null),
    Row("os_version", true, "/os_version wrong_type", kept: .null),
    Row("device_model", [:], "/device_model wrong_type", kept: .null),
    Row("localization", false, "/localization wrong_type", kept: "auto"),
    Row("capabilities", [:], "/capabilities wrong_type", kept: []),
    Row("capabilities", [.null], "/capabilities/0 wrong_type", kept: []),
    Row("authorization", "authorized", "/authorization wrong_type", kept: .null),
    Row("authorization/status", 2, "/authorization/status wrong_type"),
    Row("authorization/alert", "yes", "/authorization/alert wrong_type"),
    Row("authorization", ["alert": true], "/authorization/status missing_field", kept: .null),
    Row("user/token", 42, "/user/token wrong_type"),
    Row("tags", "beta", "/tags wrong_type", kept: []),
    Row("tags", [["beta"], "b"], "/tags/0 wrong_type", kept: ["b"]),
    Row("attributes", ["plan"], "/attributes wrong_type", kept: .null),
    Row("attributes/plan", ["pro"], "/attributes/plan wrong_type"),
    Row("languages", ["en", "not a tag"], "/languages/1 invalid_language", kept: ["en"]),
    Row("languages", ["en", letters(59)], "/languages/1 invalid_language", kept: ["en"]),
    Row("time_zone", "Mars/Olympus_Mons", "/time_zone unknown_time_zone", kept: .null),
    Row("app_version", "3.2-beta", "/app_version unreadable_version", kept: .null),
    Row("app_version", "", "/app_version unreadable_version", kept: .null),
    Row("app_build", "a1", "/app_build unreadable_version", kept: .null),
    Row("os_version", "Version 17.4 (Build 21E219)", "/os_version unreadable_version", kept: .null),
    Row("device_token", "740f", "/device_token unknown_field"),
    Row("credentials/fcm", ["token": "a"], "/credentials/fcm unknown_field"),
    Row("credentials/apns/topic", "a", "/credentials/apns/topic unknown_field"),
    Row("authorization/banner", true, "/authorization/banner unknown_field"),
    Row("user/name", "Ada", "/user/name unknown_field"),
    Row("localization", "device", "/localization unknown_value", kept: "auto"),
    Row("authorization", ["status": "granted"], "/authorization/status unknown_value", kept: .null),
    Row("frequent_pushes", "on", "/frequent_pushes wrong_type", kept: .null),
    Row("background_refresh", "on", "/background_refresh unknown_value", kept: .null),
  ]

  private static let languages = (0..<51).map { JSON.string("en-\(100 + $0)") }

  static let outOfBounds = [
    Row(
      "languages", .array(languages), "/languages too_many",
      kept: .array(Array(languages.prefix(50)))),
    Row("locale", letters(98), "/locale too_long", kept: .null),
    Row("locale", letters(65), "/locale too_long", kept: .null),
    Row("time_zone", letters(65), "/time_zone too_long", kept: .null),
    Row("app_version", letters(65), "/app_version too_long", kept: .null),
    Row("app_build", letters(65), "/app_build too_long", kept: .null),
    Row("os_version", letters(65), "/os_version too_long", kept: .null),
    Row("device_model", letters(65), "/device_model too_long", kept: .null),
    Row("device_model", "a\u{0}b", "/device_model contains_nul", kept: .null),
    Row("capabilities", many(33), "/capabilities too_many", kept: many(32)),
    Row("capabilities", ["a", letters(65)], "/capabilities/1 too_long", kept: ["a"]),
    Row("user/token", letters(4097), "/user/token too_long"),
    Row("tags", many(61), "/tags too_many", kept: many(60)),
    Row("tags", ["beta", letters(129)], "/tags/1 too_long", kept: ["beta"]),
    Row("tags", ["a\u{0}"], "/tags/0 contains_nul", kept: []),
    Row("attributes", wide(65, 1), "/attributes too_many", kept: .null),
    Row("attributes", wide(60, letters(80)), "/attributes too_long", kept: .null),
    Row(
      "attributes/\(String(repeating: "k", count: 129))", 1,
      "/attributes/\(String(repeating: "k", count: 64))… too_long"),
    Row("attributes/plan", "\u{0}", "/attributes/plan contains_nul"),
  ]

  @Test(arguments: Transport.allCases, secondary + outOfBounds)
  func secondaryDataThatCannotBeKeptIsLeftOut(transport: Transport, row: Row) async throws {
    let app = try await TestApp.make(transport)
    let path = app.installation(Sample.id())
    let reply = try await app.client.put(path, row.report)
    #expect(reply.status == 201)
    #expect(reply.ignored == [row.expected])
    let stored = try await app.admin.get(path).json
    #expect(stored["credentials"].names == ["apns", "voip"])
    let shown = row.place.reduce(stored) { $0[$1] }
    #expect(shown == row.kept)
  }

  /// What is stored already stays when what comes is left out.
  @Test(arguments: Transport.allCases, ["PUT", "PATCH"])
  func whatIsLeftOutChangesNothing(transport: Transport, method: String) async throws {
    let app = try await TestApp.make(transport)
    let path = app.installation(Sample.id())
    let stored = try await app.sender.put(path, Sample.fullReport())
    let report: JSON = [
      "locale": Self.letters(98), "time_zone": Self.letters(65), "attributes": Self.wide(65, 1),
      "languages": ["C", .null], "tags": [1], "capabilities": [:],
    ]
    let reply = try await app.sender.send(method, path, json: report)
    #expect(reply.status == 200)
    #expect(
      reply.ignored == [
        "/languages/0 invalid_language", "/languages/1 wrong_type", "/locale too_long",
        "/time_zone too_long", "/capabilities wrong_type", "/tags/0 wrong_type",
        "/attributes too_many",
      ])
    for name in stored.json.names where !["applied", "ignored"].contains(name) {
      #expect(reply.json[name] == stored.json[name])
    }
  }

  @Test(arguments: Transport.allCases) func allFaultsAreToldAtOnce(transport: Transport)
    async throws
  {
    let app = try await Self.app(transport)
    let reply = try await app.client.put(
      app.installation(Sample.id()),
      ["platform": "android", "user": 1, "credentials": ["apns": ["token": "xyz"]]])
    #expect(
      reply.faults.sorted() == [
        "/credentials/apns/token token_not_hex", "/platform unknown_value", "/user wrong_type",
      ])
  }

  @Test(arguments: Transport.allCases) func oneTokenIsNotOfTwoKinds(transport: Transport)
    async throws
  {
    let app = try await Self.app(transport)
    var report = Sample.report()
    report["credentials"]["voip"] = report["credentials"]["apns"]
    let reply = try await app.client.put(app.installation(Sample.id()), report)
    #expect(reply.status == 422)
    #expect(reply.faults.map { $0.split(separator: " ").last } == ["token_kind_mismatch"])
    #expect(try await app.stored() == "0 0 0 0")
  }

  @Test(
    arguments: Transport.allCases,
    ["1", "740f4707-bebc-f74f-9b7c", "740f4707bebcf74f9b7c25d48e335894", "%00", "x"])
  func anInstallationIDIsAUUID(transport: Transport, id: String) async throws {
    let app = try await Self.app(transport)
    for method in ["PUT", "PATCH"] {
      let reply = try await app.client.send(method, app.installation(id), json: Sample.report())
      #expect((400..<500).contains(reply.status))
      #expect(reply.problem != nil)
    }
    for method in ["GET", "DELETE"] {
      let reply = try await app.client.send(method, app.installation(id))
      #expect((400..<500).contains(reply.status))
      #expect(reply.problem != nil)
    }
    #expect(try await app.stored() == "0 0 0 0")
  }

  /// Nothing is ever stored in it, so all refused reports may share it.
  private static func app(_ transport: Transport) async throws -> TestApp {
    try await (transport == .socket ? overSocket : inProcess).value
  }
  private static let overSocket = Task { try await TestApp.make(.socket) }
  private static let inProcess = Task { try await TestApp.make(.inProcess) }
}
