import AppTesting
import DeviceProfile
import FoundationEssentials
import Postgres
import Testing

@testable import App
@testable import Registry

/// An app in numbers.
@Suite struct StatsTests {
  @Test(arguments: Transport.allCases)
  func anEmptyAppHasZeroes(transport: Transport) async throws {
    let app = try await TestApp.make(transport)
    let reply = try await app.admin.get("\(app.path)/stats")
    #expect(reply.status == 200)
    let zero: JSON = ["active": 0, "quarantined": 0, "invalid": 0]
    #expect(reply.json["total"] == 0)
    for kind in CredentialKind.allCases.map(\.rawValue) {
      #expect(reply.json["status"][kind] == zero)
      #expect(reply.json["credential"][kind] == 0)
    }
    #expect(reply.json["environment"] == ["production": 0, "sandbox": 0])
    #expect(reply.json["platform"].names == Platform.allCases.map(\.rawValue).sorted())
    for name in ["language", "app_version", "os_version"] {
      #expect(reply.json[name] == ["top": [], "other": 0])
    }
    #expect(reply.json["registrations"].elements.count == 30)
    #expect(reply.json["failures"].elements.count == 30)
    #expect(reply.json["breakers"] == [])
  }

  @Test func everyInstallationIsCountedOnceInEachDimension() async throws {
    let app = try await TestApp.make(.inProcess)
    let population = InstallationPopulation(200, appID: try app.id, seed: 11)
    try await population.store(in: app.service.service)
    let other = try await TestApp.make(.inProcess)
    try await InstallationPopulation(20, appID: try other.id, seed: 12)
      .store(in: app.service.service)
    let stats = try await app.admin.get("\(app.path)/stats").json
    let all = population.installations

    func counted(_ value: (Installation) -> String?) -> JSON {
      .object(
        Dictionary(grouping: all.compactMap(value)) { $0 }.mapValues { .number(Double($0.count)) })
    }
    #expect(stats["total"] == 200)
    #expect(stats["platform"] == counted { $0.platform.rawValue })
    #expect(stats["environment"] == counted { $0.environment.rawValue })
    for kind in CredentialKind.allCases {
      let statuses = all.flatMap { one in
        one.credentials.filter { $0.place.kind == kind }.map(\.value.status)
      }
      #expect(stats["credential"][kind.rawValue].whole == statuses.count)
      for status in CredentialStatus.allCases {
        let count = statuses.count { $0 == status }
        #expect(stats["status"][kind.rawValue][status.rawValue].whole == count)
      }
    }
    let open: [(String, (Installation) -> String?)] = [
      ("language", { $0.languages.first }), ("app_version", { $0.appVersion }),
      ("os_version", { $0.osVersion }),
    ]
    for (name, value) in open {
      let top = stats[name]["top"].elements
      #expect(stats[name]["other"] == 0)
      let counts = top.compactMap { $0["count"].whole }
      #expect(counts == counts.sorted(by: >))
      #expect(
        Dictionary(top.map { ($0["value"].string, $0["count"].whole ?? 0) }) { $0 + $1 }
          == Dictionary(grouping: all, by: value).mapValues(\.count), "\(name)")
    }
  }

  @Test func rareValuesAreCountedTogether() async throws {
    let app = try await TestApp.make(.inProcess)
    for version in 1...53 {
      var report = Sample.report()
      report["app_version"] = "\(version)"
      #expect(try await app.admin.put(app.installation(Sample.id()), report).status == 201)
    }
    var report = Sample.report()
    report["app_version"] = "53"
    _ = try await app.admin.put(app.installation(Sample.id()), report)
    let versions = try await app.admin.get("\(app.path)/stats").json["app_version"]
    #expect(versions["top"].elements.count == 50)
    #expect(versions["top"][0] == ["value": "53", "count": 2])
    #expect(versions["other"] == 3)
  }

  /// Days are those of UTC, each of them, today last.
  @Test(.onOnePostgres) func everyDayIsThere() async throws {
    let app = try await TestApp.make(.inProcess)
    for _ in 0..<3 {
      _ = try await app.admin.put(app.installation(Sample.id()), Sample.report())
      _ = try await app.client.post(
        "\(app.path)/failures", ["kind": "apns", "error": ["domain": "d", "code": 1]])
    }
    let id = try app.id
    try await app.service.database.query(
      """
      UPDATE installation SET created_at = date_trunc('day', created_at) - interval '2 days'
      WHERE installation_id = (
        SELECT min(installation_id::text)::uuid FROM installation WHERE app_id = \(id));
      UPDATE registration_failure SET occurred_at = occurred_at - interval '10 days'
      WHERE app_id = \(id)
      """)
    for days in [1, 3, 30, 366] {
      let reply = try await app.admin.get("\(app.path)/stats?days=\(days)")
      try #require(reply.status == 200, "\(reply.text)")
      let stats = reply.json
      let created = stats["registrations"].elements
      #expect(created.count == days)
      #expect(created.last?["count"] == 2)
      #expect(created.compactMap { $0["count"].whole }.reduce(0, +) == (days < 3 ? 2 : 3))
      if days > 2 {
        #expect(created[days - 2]["count"] == 0)
        #expect(created[days - 3]["count"] == 1)
      }
      let names = created.compactMap { $0["day"].string }
      #expect(names == names.sorted() && Set(names).count == days)
      let failures = stats["failures"].elements
      #expect(failures.map { $0["day"] } == created.map { $0["day"] })
      #expect(failures.compactMap { $0["count"].whole }.reduce(0, +) == (days < 11 ? 0 : 3))
      if days > 10 { #expect(failures[days - 11]["count"] == 3) }
    }
  }

  /// Counts of a large app take seconds; who looks at a page accepts those of a while ago.
  @Test func anOlderCountMayDo() async throws {
    let app = try await TestApp.make(.inProcess)
    let path = "\(app.path)/stats"
    let first = try await app.admin.get("\(path)?max_age=3600").json
    #expect(first["total"] == 0)
    _ = try await app.admin.put(app.installation(Sample.id()), Sample.report())
    #expect(try await app.admin.get("\(path)?max_age=3600").json == first)
    #expect(try await app.admin.get("\(path)?max_age=3600&days=1").json["total"] == 1)
    let other = try await TestApp.make(.inProcess)
    #expect(try await other.admin.get("\(other.path)/stats?max_age=3600").json["total"] == 0)
    try await eventually {
      try await app.admin.get("\(path)?max_age=1").json["total"] == 1
    }
    // A count that somebody wanted anew serves the others, too.
    _ = try await app.admin.put(app.installation(Sample.id()), Sample.report())
    #expect(try await app.admin.get(path).json["total"] == 2)
    #expect(try await app.admin.get("\(path)?max_age=86400").json["total"] == 2)
    for age in ["-1", "86401", "1.5", ""] {
      #expect(try await app.admin.get("\(path)?max_age=\(age)").status == 422, "\(age)")
    }
  }

  /// The service counts for all apps now and then, and nobody has to wait.
  @Test func allAppsAreCountedAhead() async throws {
    let service = try await TestService.start()
    let app = try await service.app()
    _ = try await app.admin.put(app.installation(Sample.id()), Sample.report())
    _ = try await app.admin.upload("\(app.path)/catalogs/412", CoverageTests.files)
    await service.countAhead()
    _ = try await app.admin.put(app.installation(Sample.id()), Sample.report())
    #expect(try await app.admin.get("\(app.path)/stats?max_age=3600").json["total"] == 1)
    let coverage = try await app.admin.get("\(app.path)/catalogs/412/coverage?max_age=3600").json
    #expect(coverage["languages"].elements.count == 4)
    await service.stop()
  }

  @Test func whatHappenedToTokensIsCountedByDay() async throws {
    let app = try await TestApp.make(.inProcess)
    let id = Sample.id()
    for _ in 0..<3 {
      var report = Sample.report()
      report["credentials"] = ["apns": ["token": .string(Sample.token())]]
      #expect(try await app.admin.put(app.installation(id), report).status < 300)
    }
    let token = try #require(
      try await app.admin.get(app.installation(id)).json["credentials"]["apns"]["token"].string)
    let answer: JSON = [
      "results": [
        [
          "token": .string(token), "environment": "production", "status": 410,
          "reason": "Unregistered",
          "timestamp": 4_000_000_000_000,
        ]
      ]
    ]
    #expect(try await app.sender.post("\(app.path)/feedback", answer).json["invalidated"] == 1)
    let stats = try await app.admin.get("\(app.path)/stats?days=2").json
    #expect(stats["rotations"].elements.map { $0["count"] } == [0, 2])
    #expect(stats["invalidations"].elements.map { $0["count"] } == [0, 1])
    #expect(stats["latest_catalog"] == .null)
  }

  @Test(arguments: Transport.allCases)
  func breakersThatAreOpenAreShown(transport: Transport) async throws {
    let app = try await TestApp.make(transport)
    let id = try app.id
    func rest(_ minutes: Int) async throws {
      try await app.service.database.query(
        """
        INSERT INTO feedback_breaker (app_id, environment, refused, refused_at, accepted,
          accepted_before, accepted_since, opened_at, last_refused_at)
        VALUES (\(id), 'sandbox', '{}', '{}', 0, 0, now(), '2026-05-02T19:32:41Z',
            now() - interval '\(minutes) minutes'),
          (\(id), 'production', '{}', '{}', 0, 0, now(), NULL, now())
        ON CONFLICT (app_id, environment) DO UPDATE
        SET last_refused_at = excluded.last_refused_at
        """)
    }
    try await rest(9)
    let open: JSON = [["environment": "sandbox", "opened_at": "2026-05-02T19:32:41.000Z"]]
    #expect(try await app.admin.get("\(app.path)/stats?days=1").json["breakers"] == open)
    try await rest(11)
    #expect(try await app.admin.get("\(app.path)/stats?days=1").json["breakers"] == [])
  }

  @Test(
    arguments: Transport.allCases,
    [
      ("days=0", "days out_of_range"), ("days=367", "days out_of_range"),
      ("days=all", "days out_of_range"), ("day=1", "day unknown_field"),
    ])
  func whatIsNoNumberOfDaysIsRefused(
    transport: Transport, row: (query: String, fault: String)
  ) async throws {
    let app = try await TestApp.make(transport)
    let reply = try await app.admin.get("\(app.path)/stats?\(row.query)")
    #expect(reply.status == 422)
    #expect(reply.faults == [row.fault])
    #expect(try await app.sender.get("\(app.path)/stats").status == 403)
  }
}
