import AppTesting
import Testing

/// Failed registrations: reported by apps, read by admins.
@Suite struct FailuresTests {
  static let installation = "0b7c1f7e-3a52-4d0e-9a3c-6a1a0d3b6f10"
  static let reports: [JSON] = [
    [
      "kind": "apns", "error": ["domain": "NSCocoaErrorDomain", "code": 3000, "message": "no aps"],
      "installation_id": .string(installation.uppercased()), "environment": "sandbox",
      "platform": "ios", "app_version": "3.2.0", "os_version": "17.4", "device_model": "iPhone15,2",
      "occurred_at": "2026-05-02T10:00:00.000Z",
    ],
    [
      "kind": "apns", "error": ["domain": "NSCocoaErrorDomain", "code": 3010],
      "app_version": "3.2.0", "occurred_at": "2026-05-03T10:00:00.000Z",
    ],
    [
      "kind": "voip", "error": ["domain": "PKPush", "code": -1], "os_version": "17.4",
      "occurred_at": "2026-05-04T10:00:00.000Z",
    ],
    [
      "kind": "authorization", "error": ["domain": "UNErrorDomain", "code": 1],
      "occurred_at": "2026-05-05T10:00:00.000Z",
    ],
  ]

  @Test(arguments: Transport.allCases)
  func whatIsReportedIsListedNewestFirst(transport: Transport) async throws {
    let app = try await TestApp.make(transport)
    var ids: [JSON] = []
    for report in Self.reports {
      let reply = try await app.client.post("\(app.path)/failures", report)
      #expect(reply.status == 201)
      #expect(reply.json["ignored"] == [])
      ids.append(reply.json["id"])
    }
    let list = try await app.admin.get("\(app.path)/failures")
    #expect(list.json["items"].elements.map { $0["id"] } == ids.reversed())
    let oldest = list.json["items"][3]
    for name in Self.reports[0].names where name != "installation_id" {
      #expect(oldest[name] == Self.reports[0][name], "\(name)")
    }
    #expect(oldest["installation_id"] == .string(Self.installation))
    #expect(oldest["received_at"].string?.hasSuffix("Z") == true)
    #expect(
      try await app.admin.items("\(app.path)/failures?limit=1").map { $0["id"] } == ids.reversed())
    #expect(try await app.stored() == "0 0 4 0")
  }

  @Test(arguments: Transport.allCases)
  func theListIsFiltered(transport: Transport) async throws {
    let app = try await TestApp.make(transport)
    for report in Self.reports { _ = try await app.client.post("\(app.path)/failures", report) }
    let rows: [(query: String, found: [Int])] = [
      ("kind=apns", [1, 0]), ("kind=authorization", [3]), ("domain=PKPush", [2]),
      ("domain=pkpush", []), ("code=3010", [1]), ("code=-1", [2]), ("app_version=3.2.0", [1, 0]),
      ("os_version=17.4", [2, 0]), ("installation_id=\(Self.installation)", [0]),
      ("since=2026-05-03T10:00:00Z", [3, 2, 1]), ("until=2026-05-03T10:00:00Z", [0]),
      ("since=2026-05-03T00:00:00Z&until=2026-05-05T00:00:00Z", [2, 1]),
      ("kind=apns&code=3000", [0]), ("kind=voip&code=3000", []),
    ]
    for row in rows {
      let items = try await app.admin.items("\(app.path)/failures?limit=1&\(row.query)")
      #expect(
        items.map { $0["occurred_at"] } == row.found.map { Self.reports[$0]["occurred_at"] },
        "\(row.query)")
    }
  }

  @Test(
    arguments: Transport.allCases,
    [
      ("kind=push", "kind unknown_value"), ("code=x", "code wrong_type"),
      ("since=today", "since invalid_timestamp"),
      ("installation_id=1", "installation_id invalid_uuid"),
      ("kinds=apns", "kinds unknown_field"), ("cursor=x", "cursor unknown_value"),
    ])
  func aFilterThatIsWrongIsRefused(
    transport: Transport, row: (query: String, fault: String)
  ) async throws {
    let app = try await TestApp.make(transport)
    let reply = try await app.admin.get("\(app.path)/failures?\(row.query)")
    #expect(reply.status == 422)
    #expect(reply.faults == [row.fault])
  }

  @Test(
    arguments: Transport.allCases,
    [
      ([:], ["/error missing_field", "/kind missing_field"]),
      (["kind": "fcm", "error": ["domain": "d", "code": 1]], ["/kind unknown_value"]),
      (["kind": "apns", "error": "no"], ["/error wrong_type"]),
      (["kind": "apns", "error": ["code": 1]], ["/error/domain missing_field"]),
      (["kind": "apns", "error": ["domain": "d", "code": "1"]], ["/error/code wrong_type"]),
      (["kind": "apns", "error": ["domain": "d", "code": 1.5]], ["/error/code wrong_type"]),
      (["kind": "apns", "error": ["domain": "", "code": 1]], ["/error/domain too_short"]),
      (
        ["kind": "apns", "error": ["domain": "d", "code": 1], "installation_id": "1"],
        ["/installation_id invalid_uuid"]
      ),
      (
        ["kind": "apns", "error": ["domain": "d", "code": 1], "environment": "test"],
        ["/environment unknown_value"]
      ),
    ] as [(JSON, [String])])
  func aReportThatIsWrongIsRefused(transport: Transport, row: (JSON, [String])) async throws {
    let app = try await TestApp.make(transport)
    let reply = try await app.client.post("\(app.path)/failures", row.0)
    #expect(reply.status == 422)
    #expect(reply.faults.sorted() == row.1)
    #expect(try await app.stored() == "0 0 0 0")
  }

  @Test(arguments: Transport.allCases)
  func secondaryDataThatCannotBeReadIsLeftOut(transport: Transport) async throws {
    let app = try await TestApp.make(transport)
    let reply = try await app.client.post(
      "\(app.path)/failures",
      [
        "kind": "apns", "error": ["domain": "d", "code": 1, "user_info": [:]],
        "os_version": "seventeen", "carrier": "x",
      ])
    #expect(reply.status == 201)
    #expect(
      reply.ignored.sorted() == [
        "/carrier unknown_field", "/error/user_info unknown_field",
        "/os_version unreadable_version",
      ])
    #expect(try await app.stored() == "0 0 1 0")
  }

  /// A device's clock that is ahead is not believed.
  @Test(arguments: Transport.allCases)
  func noFailureIsFromTheFuture(transport: Transport) async throws {
    let app = try await TestApp.make(transport)
    for time in ["2100-01-01T00:00:00Z", "1969-12-31T23:59:59Z"] {
      _ = try await app.client.post(
        "\(app.path)/failures",
        ["kind": "apns", "error": ["domain": "d", "code": 1], "occurred_at": .string(time)])
    }
    for item in try await app.admin.items("\(app.path)/failures?") {
      #expect(item["occurred_at"] == item["received_at"])
    }
  }
}
