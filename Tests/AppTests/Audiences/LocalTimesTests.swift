import AppTesting
import Postgres
import Testing

@testable import App
@testable import Registry

/// An audience cut by the instants at which its clocks show a time.
@Suite struct LocalTimesTests {
  /// A Monday noon in UTC.
  private static let now = "2026-11-23T12:00:00Z"

  /// An app with devices in these time zones, some of a person and with a tag.
  private func app(_ timeZones: [String?], _ transport: Transport) async throws -> TestApp {
    let now = try #require(Timestamp(rfc3339: Self.now))
    let app = try await TestService.start(clock: { now }).app(transport)
    for (index, timeZone) in timeZones.enumerated() {
      var report = Sample.report()
      report["time_zone"] = timeZone.map(JSON.string) ?? .null
      report["tags"] = index % 2 == 0 ? ["even"] : []
      report["user"] = ["id": index < 2 ? "ada" : "bob"]
      let reply = try await app.admin.put(app.installation(Sample.id()), report)
      #expect(reply.ignored == [])
    }
    return app
  }

  private func ask(_ app: TestApp, _ question: JSON) async throws -> JSON {
    let reply = try await app.sender.post("\(app.path)/audiences/local-time", question)
    #expect(reply.status == 200, "\(reply.text)")
    return reply.json
  }

  /// `2026-11-23T08:00:00.000Z 2 Europe/Berlin Europe/Paris`, with `?` when it includes those that
  /// do not say where they are.
  private func told(_ answer: JSON) -> [String] {
    answer["slices"].elements.map { slice in
      ([slice["utc"].string ?? "", slice["devices"].text]
        + slice["time_zones"].elements.compactMap(\.string)
        + (slice["includes_unknown"] == true ? ["?"] : [])).joined(separator: " ")
    }
  }

  private static let zones = [
    "Europe/Berlin", "America/New_York", "Europe/Paris", "Asia/Kathmandu", nil, "Europe/Berlin",
    "Africa/Lagos", nil,
  ]

  @Test(arguments: Transport.allCases)
  func anAudienceIsCutByItsClocks(transport: Transport) async throws {
    let app = try await app(Self.zones, transport)
    let all: JSON = ["all": true]
    let day = try await ask(app, ["to": all, "at": "09:00", "on": "2026-11-23"])
    #expect(day["devices"] == 8)
    #expect(
      told(day) == [
        "2026-11-23T03:15:00.000Z 1 Asia/Kathmandu",
        "2026-11-23T08:00:00.000Z 4 Africa/Lagos Europe/Berlin Europe/Paris",
        "2026-11-23T14:00:00.000Z 1 America/New_York",
      ])
    #expect(day["unknown"]["devices"] == 2)

    // At noon in UTC nine o'clock is behind in Europe and Asia, and to come in America.
    let next = try await ask(app, ["to": all, "at": "09:00"])
    #expect(
      told(next) == [
        "2026-11-23T14:00:00.000Z 1 America/New_York",
        "2026-11-24T03:15:00.000Z 1 Asia/Kathmandu",
        "2026-11-24T08:00:00.000Z 4 Africa/Lagos Europe/Berlin Europe/Paris",
      ])
    let now = try await ask(app, ["to": all, "at": "13:00"])
    #expect(told(now)[0] == "2026-11-23T12:00:00.000Z 4 Africa/Lagos Europe/Berlin Europe/Paris")

    // In summer Lagos is an hour behind, and in the gap everything comes to its end.
    let gap = try await ask(app, ["to": all, "at": "02:30", "on": "2026-03-29"])
    #expect(
      told(gap) == [
        "2026-03-28T20:45:00.000Z 1 Asia/Kathmandu",
        "2026-03-29T01:00:00.000Z 3 Europe/Berlin Europe/Paris",
        "2026-03-29T01:30:00.000Z 1 Africa/Lagos",
        "2026-03-29T06:30:00.000Z 1 America/New_York",
      ])
    let twice = try await ask(app, ["to": all, "at": "02:30", "on": "2026-10-25"])
    #expect(told(twice)[1] == "2026-10-25T00:30:00.000Z 3 Europe/Berlin Europe/Paris")
    await app.service.stop()
  }

  @Test(arguments: Transport.allCases)
  func devicesWithoutATimeZoneHaveASliceOfTheirOwn(transport: Transport) async throws {
    let app = try await app(Self.zones, transport)
    func ask(_ zone: JSON) async throws -> JSON {
      try await self.ask(
        app,
        ["to": ["all": true], "at": "09:00", "on": "2026-11-23", "default_time_zone": zone])
    }
    let none = try await ask(.null)
    #expect(none["unknown"]["devices"] == 2)
    let berlin = try await ask("Europe/Berlin")
    #expect(berlin["unknown"] == .null)
    #expect(
      told(berlin)[1] == "2026-11-23T08:00:00.000Z 6 Africa/Lagos Europe/Berlin Europe/Paris ?")
    let tokyo = try await ask("Asia/Tokyo")
    #expect(told(tokyo)[0] == "2026-11-23T00:00:00.000Z 2 ?")
    #expect(tokyo["slices"].elements.count == 4)
    await app.service.stop()
  }

  /// Each slice is named in the words of the audience, with the time zones beside them.
  @Test(arguments: Transport.allCases)
  func aSliceIsNamedAsItsAudienceIs(transport: Transport) async throws {
    let app = try await app(Self.zones, transport)
    func names(_ to: JSON, _ zone: JSON = .null) async throws -> [JSON] {
      let answer = try await ask(
        app, ["to": to, "at": "09:00", "on": "2026-11-23", "default_time_zone": zone])
      return answer["slices"].elements.map { $0["to"] } + [answer["unknown"]["to"]]
    }
    let (berlin, york): (JSON, JSON) = (
      ["time_zone": "Europe/Berlin"], ["time_zone": "America/New_York"]
    )
    #expect(
      try await names(["user": "ada"]) == [
        ["filter": ["user": "ada", "all": [berlin]]], ["filter": ["user": "ada", "all": [york]]],
        .absent,
      ])
    #expect(
      try await names(["filter": ["tag": "even"]]) == [
        [
          "filter": [
            "tag": "even",
            "all": [
              ["any": [["time_zone": "Africa/Lagos"], berlin, ["time_zone": "Europe/Paris"]]]
            ],
          ]
        ],
        [
          "filter": [
            "tag": "even",
            "all": [
              [
                "not": [
                  "any": [["time_zone": "Africa/Lagos"], berlin, ["time_zone": "Europe/Paris"]]
                ]
              ]
            ],
          ]
        ],
      ])
    let even = try await names(["filter": ["tag": "even"]], "Europe/Rome")
    #expect(even == [["filter": ["tag": "even"]], .absent], "the only slice is the audience")
    let ada = try await names(["user": "ada"], "UTC")
    #expect(ada.count == 3)
    let missing = try await names(["user": "nobody"])
    #expect(missing == [.absent])
    await app.service.stop()
  }

  @Test(
    arguments: [
      ([:], ["/to missing_field", "/at missing_field"]),
      (["to": ["all": true], "at": "9:00"], ["/at invalid_timestamp"]),
      (["to": ["all": true], "at": "24:00"], ["/at invalid_timestamp"]),
      (["to": ["all": true], "at": "09:00:00"], ["/at invalid_timestamp"]),
      (["to": ["all": true], "at": 9], ["/at wrong_type"]),
      (["to": ["all": true], "at": "09:00", "on": "23.11.2026"], ["/on invalid_timestamp"]),
      (["to": ["all": true], "at": "09:00", "on": "2026-02-29"], ["/on invalid_timestamp"]),
      (["to": ["all": true], "at": "09:00", "on": "1969-12-31"], ["/on out_of_range"]),
      (["to": ["all": true], "at": "09:00", "on": "9999-12-31"], ["/on out_of_range"]),
      (
        ["to": ["all": true], "at": "09:00", "default_time_zone": "Mars/Base"],
        ["/default_time_zone unknown_time_zone"]
      ),
      (["to": ["all": true], "at": "09:00", "zone": "UTC"], ["/zone unknown_field"]),
      (["to": ["all": false], "at": "09:00"], ["/to/all unknown_value"]),
      (["to": [:], "at": "09:00"], ["/to missing_field"]),
      (["to": ["users": ["ada"]], "at": "09:00"], ["/to missing_field"]),
      (["to": ["all": true, "user": "ada"], "at": "09:00"], ["/to too_many"]),
      (["to": ["user": ""], "at": "09:00"], ["/to/user too_short"]),
      (["to": ["filter": [:]], "at": "09:00"], ["/to/filter missing_field"]),
      (["to": ["filter": ["tag": .null]], "at": "09:00"], ["/to/filter/tag wrong_type"]),
      (["to": ["filter": ["tags": "a"]], "at": "09:00"], ["/to/filter/tags unknown_field"]),
    ] as [(JSON, [String])])
  func faultsAreToldWithTheirPlaces(question: JSON, expected: [String]) async throws {
    let app = try await TestApp.make(.inProcess)
    let reply = try await app.sender.post("\(app.path)/audiences/local-time", question)
    #expect(reply.status == 422)
    #expect(reply.faults == expected)
  }

  /// Data of this server may be older than those of a device's report were.
  @Test func aTimeZoneThatIsNotKnownIsNone() async throws {
    let app = try await app(["Europe/Berlin", "Europe/Paris"], .inProcess)
    try await app.service.database.query(
      "UPDATE installation SET time_zone = 'Mars/Base' WHERE time_zone = 'Europe/Paris'")
    let answer = try await ask(app, ["to": ["all": true], "at": "09:00"])
    #expect(told(answer) == ["2026-11-24T08:00:00.000Z 1 Europe/Berlin"])
    #expect(
      answer["unknown"] == [
        "devices": 1, "to": ["filter": ["all": [["not": ["time_zone": "Europe/Berlin"]]]]],
      ])
    await app.service.stop()
  }

  /// The slices and what is not known are the whole audience, each device once.
  @Test(arguments: Transport.allCases)
  func theSlicesTogetherAreTheAudience(transport: Transport) async throws {
    let app = try await app(Self.zones, transport)
    for to: JSON in [
      ["all": true], ["user": "ada"], ["filter": ["tag": "even"]],
      ["filter": ["any": [["tag": "even"], ["user": "ada"]]]],
    ] {
      for zone: JSON in [.null, "Asia/Tokyo", "Europe/Berlin"] {
        let answer = try await ask(app, ["to": to, "at": "09:00", "default_time_zone": zone])
        func devices(_ to: JSON) async throws -> Int? {
          let reply = try await app.sender.send(
            "POST", "\(app.path)/render", json: ["message": ["alert": "Hi"], "to": to],
            fields: [("Accept", "application/json")])
          #expect(reply.status == 200, "\(reply.text)")
          return reply.json["summary"]["devices"].whole
        }
        #expect(try await devices(to) == answer["devices"].whole)
        var total = 0
        for part in answer["slices"].elements + [answer["unknown"]] where part != .null {
          #expect(try await devices(part["to"]) == part["devices"].whole, "\(part)")
          total += part["devices"].whole ?? 0
        }
        #expect(total == answer["devices"].whole)
      }
    }
    await app.service.stop()
  }
}
