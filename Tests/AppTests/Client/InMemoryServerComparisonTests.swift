import AppTesting
import Foundation
import PostilionClient
import PostilionClientTesting
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// `InMemoryServer`, with which apps test, answers as the service does.
@Suite struct InMemoryServerComparisonTests {
  /// A call, made of both.
  private struct Step {
    var method: String
    var place: String
    var report: JSON
    var secret: String?

    init(_ method: String, _ place: String, _ report: JSON = .absent, secret: String?) {
      self.method = method
      self.place = place
      self.report = report
      self.secret = secret
    }
  }

  private static let own = String(repeating: "s", count: 43)
  private static let other = String(repeating: "o", count: 43)
  private static let one = "installations/\(UUID().uuidString.lowercased())"
  private static let two = "installations/\(UUID().uuidString.lowercased())"

  private static func token(_ digits: String) -> JSON {
    ["token": .string(String(repeating: digits, count: 32))]
  }

  private static let ofAllKinds: JSON = [
    "widgets": [
      "token": .string(String(repeating: "d1", count: 32)), "widgets": [["kind": "Orders"]],
    ],
    "location": token("d2"), "file_provider": token("d8"), "complication": token("d9"),
    "push_to_talk": ["token": .string(String(repeating: "e1", count: 32)), "joined": true],
    "nowplaying_start": token("d7"), "nowplaying": ["S1": token("d6")],
    "live_activity_start": ["Delivery": token("d3"), "Ride": token("e2")],
    "live_activities": [
      "A7C1": ["token": .string(String(repeating: "e3", count: 32)), "type": "Delivery"]
    ],
    "controls": ["Lights": ["porch": token("d4"), "hall": token("d5")]],
  ]

  private static let failure: JSON = [
    "id": .string(UUID().uuidString.lowercased()), "kind": "apns",
    "error": ["domain": "NSCocoaErrorDomain", "code": 3000],
  ]

  private static func text(_ letter: String, _ count: Int) -> JSON {
    .string(String(repeating: letter, count: count))
  }

  /// Secondary fields that are left out, and what is left of them.
  private static let beyondBounds: [JSON] = [
    ["tags": ["kept"]], ["tags": [text("é", 65)]], ["tags": ["b", "a", "b", text("t", 128)]],
    ["tags": .array((0..<61).map { .string("t\($0)") })], ["tags": ["caf\u{E9}", "cafe\u{301}"]],
    ["tag_changes": ["add": [text("t", 129), "new", "new"], "remove": [text("é", 65)]]],
    ["attributes": ["": 1, "kept": 2]], ["attributes": [String(repeating: "n", count: 129): 1]],
    ["attributes": ["big": text("x", 5000)]], ["attributes": ["big": text("x", 4090)]],
    ["attributes": ["list": [1]]],
    ["device_model": text("m", 65)], ["device_model": text("é", 33)], ["device_model": ""],
    ["app_version": "4.0.0-beta.1", "app_build": text("1", 65), "os_version": "1.2.3.4.5"],
    ["locale": "english_US"], ["locale": "C"], ["locale": ""], ["locale": "POSIX"],
    ["locale": "fr_CA@calendar=gregorian"], ["locale": text("e", 65)],
    ["languages": ["en", "en", "*", "fr-CA", "x y", "12"]], ["languages": ["*"]],
    ["languages": .array((0..<51).map { .string("en-\($0 + 100)") })],
    ["capabilities": [text("c", 65), "loc-key", "loc-key"]], ["time_zone": text("z", 65)],
  ]

  private static let steps: [Step] = [
    Step("PATCH", one, ["tags": ["a"]], secret: own),
    Step("DELETE", one, secret: own),
    Step("PUT", one, ["platform": "ios"], secret: own),
    Step("PUT", one, ["platform": "android", "user": "u", "reported_at": 7], secret: own),
    Step(
      "PUT", one,
      [
        "platform": "ios", "environment": "production",
        "credentials": ["apns": token("a1"), "voip": token("b2")],
        "languages": ["fr-CA", 7], "locale": "fr_CA", "time_zone": "Mars/Olympus_Mons",
        "app_version": "3.2.0", "app_build": 412, "os_version": "17.4-beta",
        "device_model": "iPhone15,2", "capabilities": ["loc-key"],
        "authorization": ["status": "authorized", "alert": true, "banner": true],
        "background_refresh": "on", "user": ["id": "u42"], "tags": ["beta", [:]],
        "attributes": ["plan": "pro", "list": [1]], "reported_at": "2026-05-02T19:32:41.250Z",
        "device_token": "740f",
      ], secret: own),
    Step("PUT", one, ["tags": ["late"], "reported_at": "2026-05-02T19:32:41.249Z"], secret: own),
    Step("PUT", one, ["tags": ["same"], "reported_at": "2026-05-02T19:32:41.250Z"], secret: own),
    Step(
      "PATCH", one, ["tag_changes": ["add": ["vip", 7], "remove": ["beta", "none"], "keep": []]],
      secret: own),
    Step("PUT", one, ["tag_changes": ["add": ["trial"]], "attributes": ["seats": 4]], secret: own),
    Step("PATCH", one, ["attributes": ["plan": "free", "seats": .null, "n": 1]], secret: own),
    Step(
      "PATCH", one, ["tag_changes": ["add": .array((0..<60).map { .string("t\($0)") })]],
      secret: own),
    Step("PUT", one, ["tags": ["a"], "tag_changes": ["add": ["b"]]], secret: own),
    Step("PUT", one, ["tag_changes": ["x"]], secret: own),
    Step(
      "PATCH", one,
      ["attributes": .object(Dictionary(uniqueKeysWithValues: (0..<64).map { ("a\($0)", 1) }))],
      secret: own),
    Step("PATCH", one, ["locale": .null, "user": .null, "tags": .null], secret: own),
    Step("PATCH", one, ["credentials": ["apns": ["token": "xyz"]]], secret: own),
    Step("PATCH", one, ["credentials": ["apns": ["token": "a1"]]], secret: own),
    Step("PATCH", one, ["tags": ["a"]], secret: nil),
    Step("PATCH", one, ["tags": ["a"]], secret: other),
    Step("DELETE", one, secret: other),
    Step("PATCH", one, ["environment": "sandbox"], secret: own),
    Step(
      "PATCH", one, ["environment": "sandbox", "credentials": ["apns": token("c3")]], secret: own),
    Step(
      "PATCH", one,
      ["environment": "sandbox", "credentials": ["apns": token("c3"), "voip": .null]], secret: own),
    Step(
      "PUT", two,
      ["platform": "ios", "environment": "sandbox", "credentials": ["apns": token("c3")]],
      secret: other),
    Step("GET", one, secret: own),
    Step("GET", two, secret: other),
    Step("PATCH", two, ["credentials": ["voip": token("c3")]], secret: other),
    Step("PATCH", two, ["credentials": .null, "attributes": ["a": 1]], secret: other),
    Step("PATCH", two, ["user": ["id": .null], "attributes": [:]], secret: other),
    Step("PUT", two, ["credentials": ["voip": token("c3")]], secret: other),
    Step("PATCH", two, ["credentials": ofAllKinds], secret: other),
    Step(
      "PATCH", two,
      [
        "credentials": [
          "controls": ["Lights": ["porch": token("d4")]], "live_activities": ["A7C1": .null],
          "widgets": .null, "nowplaying": .null,
        ],
        "frequent_pushes": true, "live_activities_allowed": "yes", "bundle_id": .null,
      ], secret: other),
    Step(
      "PATCH", two,
      [
        "credentials": [
          "live_activities": ["A": ["token": "00"]], "controls": ["Lights": ["token": "00"]],
          "push_to_talk": ["token": "00", "joined": 1], "widgets": [:],
        ]
      ], secret: other),
    Step("PATCH", two, ["bundle_id": "com.example.nobody"], secret: other),
    Step("POST", "failures", failure, secret: nil),
    Step("POST", "failures", failure, secret: nil),
    Step("POST", "failures", ["kind": "web"], secret: nil),
    Step("DELETE", two, secret: other),
    Step("GET", two, secret: other),
    Step("PUT", "installations/7", [:], secret: own),
  ]

  /// What both have to say alike.
  private struct Answer: Equatable {
    var status: Int
    var faults: [String]
    var body: JSON

    init(status: Int, _ json: JSON) {
      self.status = status
      faults = ["errors", "ignored"].flatMap { list in
        json[list].elements.map {
          "\($0["pointer"].string ?? "") \($0["code"].string ?? "")"
        }
      }.sorted()
      // Times are those of each; words for people may differ.
      body = status < 300 ? json : ["code": json["code"]]
      for name in [
        "created_at", "updated_at", "last_seen_at", "ignored",
      ] { body[name] = .absent }
      body["credentials"] = Self.withoutTimes(body["credentials"])
    }

    private static func withoutTimes(_ json: JSON) -> JSON {
      guard case .object(let members) = json else { return json }
      return .object(members.filter { $0.key != "registered_at" }.mapValues(withoutTimes))
    }
  }

  @Test func bothAnswerAlike() async throws {
    let app = try await TestApp.make(.inProcess)
    let server = InMemoryServer()
    let steps = Self.steps + Self.beyondBounds.map { Step("PATCH", Self.one, $0, secret: Self.own) }
    for (index, step) in steps.enumerated() {
      var client = app.client
      client.secret = step.secret
      let path = "\(app.path)/\(step.place)"
      let reply =
        step.report == .absent
        ? try await client.send(step.method, path)
        : try await client.send(step.method, path, json: step.report)
      let expected = Answer(status: reply.status, reply.json)
      let answer = try await Self.answer(of: server, to: step)
      #expect(answer == expected, "step \(index): \(step.method) \(step.report.text)")
    }
  }

  /// An installation of a backend whose token an app reports, for nobody, its person or another.
  @Test(arguments: [nil, "u1", "u2"] as [String?])
  func bothContinueOrMoveAlike(named: String?) async throws {
    let app = try await TestApp.make(.inProcess)
    let server = InMemoryServer()
    let (old, new) = (UUID(), UUID())
    var report: JSON = [
      "platform": "ios", "environment": "production", "credentials": ["apns": Self.token("f1")],
    ]
    var stored = report
    stored["user"] = ["id": "u1"]
    stored["tags"] = ["vip"]
    stored["attributes"] = ["plan": "pro"]
    let path = app.installation(old.uuidString.lowercased())
    #expect(try await app.admin.put(path, stored).status == 201)
    let members = try #require(PayloadValue(json: Data(stored.text.utf8))?.object)
    #expect(await server.addInstallation(old, members) == nil)

    if let named { report["user"] = ["id": .string(named)] }
    let place = "installations/\(new.uuidString.lowercased())"
    let step = Step("PUT", place, report, secret: Self.own)
    var client = app.client
    client.secret = step.secret
    let reply = try await client.send(step.method, "\(app.path)/\(place)", json: report)
    let answer = try await Self.answer(of: server, to: step)
    #expect(answer == Answer(status: reply.status, reply.json))
    let left = try await app.admin.get(path).json
    let here = try #require(await server.installation(old))
    let inMemory = JSON(parsing: Array(PayloadValue.object(here).encoded()))
    for name in ["user", "tags", "attributes", "credentials"] {
      #expect(inMemory[name] == left[name], "\(name)")
    }
  }

  private static func answer(of server: InMemoryServer, to step: Step) async throws -> Answer {
    let path = "v1/apps/\(server.configuration.app)/\(step.place)"
    var request = URLRequest(url: server.configuration.server.appendingPathComponent(path))
    request.httpMethod = step.method
    request.setValue(
      "Bearer \(server.configuration.clientKey)", forHTTPHeaderField: "Authorization")
    request.setValue(step.secret, forHTTPHeaderField: "Postilion-Installation-Secret")
    if step.report != .absent {
      request.setValue("application/json", forHTTPHeaderField: "Content-Type")
      request.httpBody = Data(step.report.text.utf8)
    }
    let response = try await server.send(request)
    return Answer(status: response.status, JSON(parsing: Array(response.body)))
  }
}
