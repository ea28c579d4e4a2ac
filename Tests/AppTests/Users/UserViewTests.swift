import AppTesting
import DeviceProfile
import Testing

@testable import App
@testable import Registry

/// A person at a glance.
@Suite struct UserViewTests {
  private func report(
    _ user: String, _ languages: [JSON], _ token: String = Sample.token()
  ) -> JSON {
    var report = Sample.report(token)
    report["user"] = ["id": .string(user)]
    report["languages"] = .array(languages)
    return report
  }

  /// Has a device be seen so many days earlier.
  private func age(_ id: String, days: Int, in app: TestApp) async throws {
    try await app.service.database.query(
      """
      UPDATE installation SET last_seen_at = last_seen_at - interval '\(days) days'
      WHERE installation_id = '\(id)'
      """)
  }

  @Test(.onOnePostgres, arguments: Transport.allCases)
  func aPersonIsSeenWithAllDevices(transport: Transport) async throws {
    let (app, other) = (try await TestApp.make(transport), try await TestApp.make(transport))
    let (phone, tablet, his) = (Sample.id(), Sample.id(), Sample.id())
    let (first, second, third) = (Sample.token(), Sample.token(), Sample.token())
    _ = try await app.admin.put(app.installation(tablet), report("ada", ["de", "en"], first))
    _ = try await app.admin.put(app.installation(tablet), report("ada", ["de", "en"], second))
    _ = try await app.admin.put(app.installation(phone), report("ada", ["en", "fr"], third))
    // The token moves from the tablet to the phone: one event, though both are hers.
    _ = try await app.admin.put(app.installation(phone), report("ada", ["en", "fr"], first))
    _ = try await app.admin.put(app.installation(phone), report("ada", ["en", "fr"], second))
    _ = try await app.admin.put(app.installation(his), report("bob", ["ja"]))
    _ = try await other.admin.put(other.installation(phone), report("ada", ["it"]))
    _ = try await app.sender.put("\(app.path)/users/ada/language", ["language": "fr"])
    try await age(tablet, days: 3, in: app)

    let reply = try await app.admin.get("\(app.path)/users/ada")
    #expect(reply.status == 200)
    let ada = reply.json
    #expect(ada["user"] == "ada")
    #expect(ada["language_override"] == "fr")
    #expect(
      ada["languages"] == [
        ["language": "fr", "source": "chosen", "installation_id": .null],
        ["language": "en", "source": "device", "installation_id": .string(phone)],
        ["language": "de", "source": "device", "installation_id": .string(tablet)],
      ])
    #expect(ada["installation_count"] == 2)
    let none: JSON = ["active": 0, "quarantined": 0, "invalid": 0]
    #expect(ada["tokens"]["apns"] == ["active": 1, "quarantined": 0, "invalid": 0])
    #expect(ada["tokens"]["voip"] == none)
    for (index, id) in [phone, tablet].enumerated() {
      let device = try await app.admin.get(app.installation(id))
      #expect(ada["installations"][index] == device.json)
    }
    #expect(ada["last_seen_at"] == ada["installations"][0]["last_seen_at"])
    let names = [
      first: "first", second: "second", third: "third", phone: "phone", tablet: "tablet",
    ]
    let told = ada["history"].elements.map { event in
      ["event", "token", "installation_id"].compactMap { event[$0].string.map { names[$0] ?? $0 } }
        .joined(separator: " ")
    }
    #expect(told.prefix(2).sorted() == ["moved second phone", "replaced first phone"])
    #expect(told.filter { $0.hasPrefix("moved") } == ["moved second phone"])
    #expect(told.contains("replaced first tablet"))
    #expect(told.last == "registered first tablet")
    #expect(Set(told).count == told.count, "each once: \(told)")

    // It is her devices of now: who logs out takes the device along.
    _ = try await app.admin.patch(app.installation(phone), ["user": .null])
    let left = try await app.admin.get("\(app.path)/users/ada").json
    #expect(left["installation_count"] == 1)
    #expect(left["installations"][0]["installation_id"] == .string(tablet))
    #expect(left["tokens"]["apns"] == none)
  }

  @Test(arguments: Transport.allCases)
  func ofNobodyThereIsNothing(transport: Transport) async throws {
    let app = try await TestApp.make(transport)
    let none: JSON = ["active": 0, "quarantined": 0, "invalid": 0]
    let tokens = CredentialKind.allCases.map { ($0.rawValue, none) }
    #expect(
      try await app.admin.get("\(app.path)/users/nobody").json == [
        "user": "nobody", "language_override": .null, "languages": [], "last_seen_at": .null,
        "installation_count": 0, "tokens": .object(Dictionary(uniqueKeysWithValues: tokens)),
        "installations": [], "history": [],
      ])
    let long = try await app.admin.get("\(app.path)/users/\(String(repeating: "a", count: 257))")
    #expect(long.faults == ["user too_long"])
  }

  @Test(.onOnePostgres) func ofManyDevicesTheLastSeenAreShownAndAllAreCounted() async throws {
    let app = try await TestApp.make(.socket)
    let id = Sample.id()
    _ = try await app.admin.put(app.installation(id), report("farm", ["en"]))
    try await app.service.database.query(UserErasureTests.copies(120, of: "farm", in: app.slug))
    try await age(id, days: -1, in: app)
    let farm = try await app.admin.get("\(app.path)/users/farm").json
    #expect(farm["installation_count"] == 121)
    #expect(farm["tokens"]["apns"]["active"] == 121)
    #expect(farm["installations"].elements.count == 50)
    #expect(farm["installations"][0]["installation_id"] == .string(id))
    #expect(farm["history"].elements.count == 50)
    #expect(
      farm["languages"] == [
        ["language": "en", "source": "device", "installation_id": .string(id)]
      ])
  }
}
