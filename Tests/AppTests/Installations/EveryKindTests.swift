import AppTesting
import DeviceProfile
import Testing

/// All that counts or finds tokens means those of every kind. The installation here has none but
/// those without columns: three of them are of the kinds that have names.
@Suite struct EveryKindTests {
  /// Its token of Push to Talk is invalid, and one of widgets' in quarantine.
  private struct Scene {
    let app: TestApp
    let id = Sample.id()
    let device: JSON

    init(_ service: TestService? = nil) async throws {
      app = if let service { try await service.app() } else { try await TestApp.make(.inProcess) }
      var credentials = OtherCredentialsTests.all()
      (credentials["apns"], credentials["voip"]) = (.absent, .absent)
      // Both controls have one token, as Apple allows it.
      let shared = credentials["controls"]["Lights"]["porch"]
      credentials["controls"]["Lights"]["hall"] = shared
      var report = OtherCredentialsTests.report(credentials)
      report["user"] = ["id": "ada"]
      let reply = try await app.client.put(app.installation(id), report)
      try #require(reply.status == 201, "\(reply.text)")
      device = reply.json
      for (kind, status, reason) in [
        ("push_to_talk", 410, "Unregistered"), ("widgets", 400, "BadDeviceToken"),
      ] {
        let answer: JSON = [
          "results": [
            [
              "token": credentials[kind]["token"], "environment": "production",
              "status": .number(Double(status)), "reason": .string(reason),
              "timestamp": 4_000_000_000_000,
            ]
          ]
        ]
        #expect(try await app.sender.post("\(app.path)/feedback", answer).status == 200)
      }
    }

    func found(_ query: String) async throws -> Bool {
      try await app.admin.get("\(app.path)/installations?\(query)").json["items"].elements.count
        == 1
    }
  }

  /// How many tokens of a kind it has in use.
  private static let active: [String: Int] = [
    "location": 1, "file_provider": 1, "complication": 1, "nowplaying_start": 1,
    "live_activity_start": 2, "live_activities": 1, "controls": 1, "nowplaying": 1,
  ]

  private static func counts() -> JSON {
    .object(
      Dictionary(
        uniqueKeysWithValues: CredentialKind.allCases.map { kind in
          let counts: JSON = [
            "active": .number(Double(active[kind.rawValue] ?? 0)),
            "quarantined": kind == .widgets ? 1 : 0, "invalid": kind == .pushToTalk ? 1 : 0,
          ]
          return (kind.rawValue, counts)
        }))
  }

  @Test func aStatusIsThatOfAnyToken() async throws {
    let scene = try await Scene()
    for status in ["active", "quarantined", "invalid"] {
      #expect(try await scene.found("status=\(status)"), "\(status)")
      #expect(try await scene.found("status=\(status)&sort=-last_seen_at"), "\(status)")
      #expect(try await !scene.found("filter=%7B%22not%22:%7B%22status%22:%22\(status)%22%7D%7D"))
      let filter: JSON = ["filter": ["status": .string(status)]]
      let lines = try await scene.app.sender.send(
        "POST", "\(scene.app.path)/render",
        json: ["message": ["location": [:]], "to": filter])
      #expect(lines.text.contains("\"devices\":1"), "\(lines.text)")
    }
    #expect(try await scene.found("status=invalid&credential=push_to_talk"))
    #expect(try await !scene.found("status=active&credential=push_to_talk"))
    #expect(try await !scene.found("credential=apns"))
  }

  @Test func statisticsAndPeopleHaveEveryKind() async throws {
    let scene = try await Scene()
    let stats = try await scene.app.admin.get("\(scene.app.path)/stats").json
    #expect(stats["status"] == Self.counts())
    #expect(stats["credential"]["live_activity_start"] == 2)
    #expect(stats["credential"]["apns"] == 0)
    let some = try await scene.app.admin.get("\(scene.app.path)/stats?status=invalid").json
    #expect(some["status"] == Self.counts())
    let ada = try await scene.app.admin.get("\(scene.app.path)/users/ada").json
    #expect(ada["installation_count"] == 1)
    #expect(ada["tokens"] == Self.counts())
  }

  @Test(.onOnePostgres) func aDryRunCountsWhatIsDeleted() async throws {
    let scene = try await Scene()
    let app = scene.app
    let whole = try await app.admin.delete("\(app.path)?dry_run=true").json
    #expect(whole == ["dry_run": true, "apps": 1, "installations": 1, "tokens": 11])
    try await app.service.database.query(
      """
      UPDATE installation SET last_seen_at = last_seen_at - interval '91 days'
      WHERE installation_id = '\(scene.id)'
      """)
    let (path, days): (String, JSON) = (
      "\(app.path)/installations/purge", ["stale_after_days": 90]
    )
    #expect(
      try await app.admin.post("\(path)?dry_run=true", days).json
        == ["dry_run": true, "installations": 1, "tokens": 11])
    #expect(try await app.admin.post(path, days).json == ["installations": 1, "tokens": 11])
  }

  @Test func theMetricHasEveryKind() async throws {
    let service = try await TestService.start()
    _ = try await Scene(service)
    await service.takeCensus()
    let text = try await service.client(key: nil).get("/metrics").text
    for kind in CredentialKind.allCases {
      for status in ["active", "quarantined", "invalid"] {
        let count = Self.counts()[kind.rawValue][status].whole ?? -1
        let line = "postilion_tokens{kind=\"\(kind.rawValue)\",status=\"\(status)\"} \(count)\n"
        #expect(text.contains(line), "\(line)")
      }
    }
    await service.stop()
  }
}
