import AppTesting
import Testing

@testable import App

/// Failures, counted.
@Suite struct FailureSummaryTests {
  /// Reports them, and one more of another app.
  private func report(_ transport: Transport) async throws -> TestApp {
    let app = try await TestApp.make(transport)
    let other = try await TestApp.make(transport)
    for app in [app, other] {
      for var report in FailuresTests.reports {
        for _ in 0..<(report["error"]["code"] == 3010 ? 2 : 1) {
          _ = try await app.client.post("\(app.path)/failures", report)
          report["installation_id"] = .string(Sample.id())
        }
      }
    }
    return app
  }

  /// A group as the values of its members, the times left out.
  private func text(_ group: JSON, _ names: [String]) -> String {
    names.map { group[$0].string ?? group[$0].text }.joined(separator: " ")
  }

  @Test(arguments: Transport.allCases)
  func theyAreGroupedByWhatIsAsked(transport: Transport) async throws {
    let app = try await report(transport)
    let rows: [(query: String, names: [String], groups: [String])] = [
      (
        "", ["domain", "code"],
        [
          "2 1 NSCocoaErrorDomain 3010", "1 1 NSCocoaErrorDomain 3000", "1 0 PKPush -1",
          "1 0 UNErrorDomain 1",
        ]
      ),
      ("group_by=kind", ["kind"], ["3 2 apns", "1 0 authorization", "1 0 voip"]),
      (
        "group_by=day", ["day"],
        [
          "2 1 2026-05-03", "1 1 2026-05-02", "1 0 2026-05-04", "1 0 2026-05-05",
        ]
      ),
      (
        "group_by=code,app_version", ["domain", "code", "app_version"],
        [
          "2 1 NSCocoaErrorDomain 3010 3.2.0", "1 1 NSCocoaErrorDomain 3000 3.2.0",
          "1 0 PKPush -1 null", "1 0 UNErrorDomain 1 null",
        ]
      ),
      (
        "group_by=app_version,domain", ["domain", "app_version"],
        [
          "3 2 NSCocoaErrorDomain 3.2.0", "1 0 PKPush null", "1 0 UNErrorDomain null",
        ]
      ),
      (
        "group_by=platform,environment,os_version", ["os_version", "platform", "environment"],
        ["3 1 null null null", "1 1 17.4 ios sandbox", "1 0 17.4 null null"]
      ),
      ("group_by=kind&code=3010", ["kind"], ["2 1 apns"]),
      ("group_by=kind&since=2026-05-04T00:00:00Z", ["kind"], ["1 0 authorization", "1 0 voip"]),
      (
        "group_by=day&until=2026-05-03T10:00:00.001Z&kind=apns", ["day"],
        ["2 1 2026-05-03", "1 1 2026-05-02"]
      ),
      ("group_by=kind&domain=none", ["kind"], []),
    ]
    for row in rows {
      let reply = try await app.admin.get("\(app.path)/failures/summary?\(row.query)")
      #expect(reply.text == reply.json.text, "members are sorted")
      #expect(reply.json["truncated"] == false)
      #expect(reply.json["group_by"].elements.map(\.string) == row.names)
      #expect(
        reply.json["items"].elements.map { text($0, ["count", "installations"] + row.names) }
          == row.groups, "\(row.query)")
    }
  }

  @Test(arguments: Transport.allCases)
  func aGroupSaysSinceWhenAndWhy(transport: Transport) async throws {
    let app = try await report(transport)
    let path = "\(app.path)/failures/summary?group_by=code"
    let groups = try await app.admin.get(path).json["items"].elements
    #expect(groups.first?["first_occurred_at"] == "2026-05-03T10:00:00.000Z")
    #expect(groups.first?["last_occurred_at"] == "2026-05-03T10:00:00.000Z")
    #expect(groups.first?["explanation"]["cause"].string?.contains("simulator") == true)
    #expect(groups[2]["explanation"] == .absent, "PushKit's failures are the app's own words")
    let list = try await app.admin.items("\(app.path)/failures?code=3000")
    #expect(list[0]["explanation"]["cause"].string?.contains("aps-environment") == true)
    #expect(list[0]["explanation"]["cure"].string?.contains("provisioning profile") == true)
  }

  @Test(
    arguments: Transport.allCases,
    [
      ("group_by=", "group_by unknown_value"), ("group_by=code,", "group_by unknown_value"),
      ("group_by=message", "group_by unknown_value"), ("limit=1", "limit unknown_field"),
      ("group_by=code&since=x", "since invalid_timestamp"),
    ])
  func aQuestionThatIsWrongIsRefused(
    transport: Transport, row: (query: String, fault: String)
  ) async throws {
    let app = try await TestApp.make(transport)
    let reply = try await app.admin.get("\(app.path)/failures/summary?\(row.query)")
    #expect(reply.status == 422)
    #expect(reply.faults == [row.fault])
  }

  @Test func theLargestThousandAreShown() async throws {
    let app = try await TestApp.make(.inProcess)
    try await app.service.database.query(
      """
      INSERT INTO registration_failure (app_id, id, kind, domain, code, occurred_at, received_at)
      SELECT app.id, gen_random_uuid(), 'apns', 'd', greatest(n, 2), now(), now()
      FROM app, generate_series(1, 1002) AS n WHERE slug = '\(app.slug)'
      """)
    let answer = try await app.admin.get("\(app.path)/failures/summary").json
    #expect(answer["items"].elements.count == 1000)
    #expect(answer["items"][0]["count"] == 2)
    #expect(answer["truncated"] == true)
  }

  @Test(arguments: [
    ("NSCocoaErrorDomain", 3000, "aps-environment"), ("NSCocoaErrorDomain", 3010, "simulator"),
    ("NSURLErrorDomain", -1009, "offline"), ("NSURLErrorDomain", -1200, "could not be reached"),
    ("UNErrorDomain", 1, "does not allow"),
  ])
  func knownErrorsAreExplained(domain: String, code: Int64, word: String) throws {
    let explanation = try #require(FailureExplanation(domain: domain, code: code))
    #expect(explanation.cause.contains(word))
    #expect(explanation.cure.hasSuffix("."))
  }

  @Test(arguments: [("NSCocoaErrorDomain", 1), ("UNErrorDomain", 3000), ("", 3000)])
  func otherErrorsAreNot(domain: String, code: Int64) {
    #expect(FailureExplanation(domain: domain, code: code) == nil)
  }
}
