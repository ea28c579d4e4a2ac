import AppTesting
import Testing

@testable import App

/// What one client, one key and one app may take, seen from outside. Requests over a socket come
/// from this machine, which is not limited by its address; so it is a trusted proxy here, and says
/// for whom it calls.
@Suite struct FloodTests {
  private func service(_ change: (inout FloodLimits) -> Void) async throws -> TestService {
    var limits = FloodLimits()
    limits.address = nil
    limits.addressGrowth = nil
    change(&limits)
    let networks = try #require(TrustedProxies.networks("127.0.0.0/8"))
    return try await TestService.start(
      floods: limits, proxies: TrustedProxies(networks: networks))
  }

  private func from(_ address: String) -> [(String, String)] { [("X-Forwarded-For", address)] }

  private func put(
    _ app: TestApp, _ id: String = Sample.id(), from address: String = "192.0.2.1"
  ) async throws -> Reply {
    try await app.client.send(
      "PUT", app.installation(id), json: Sample.fullReport(), fields: from(address))
  }

  @Test func anAddressHasItsCalls() async throws {
    let service = try await service { $0.address = RateLimit(perSecond: 1, burst: 100) }
    let anyone = service.client(key: nil)
    var refused: Reply?
    // A bucket of 100 gains one a second: a hundred calls take less than a minute and a half.
    for _ in 0..<1000 where refused == nil {
      let reply = try await anyone.send("GET", "/v1/apps", fields: from("192.0.2.1"))
      if reply.status == 429 { refused = reply }
    }
    let reply = try #require(refused)
    #expect(reply.problem == "rate_limited")
    #expect(Int(reply["retry-after"] ?? "") == 1)
    #expect(reply["ratelimit-policy"] == #""address";q=100;w=100"#)
    #expect(reply["ratelimit"] == #""address";r=0;t=1"#)
    let other = try await anyone.send("GET", "/v1/apps", fields: from("192.0.2.2"))
    #expect(other.status == 401)
    #expect(other["ratelimit"] == #""address";r=99;t=2"#)
    let app = try await service.app()
    for _ in 0..<150 {
      let backend = try await app.sender.send(
        "GET", "\(app.path)/installations", fields: from("192.0.2.1"))
      #expect(backend.status == 200)
    }
    let metrics = try await service.client(key: nil).get("/metrics").text
    #expect(metrics.contains(#"postilion_floods_turned_away_total{limit="address"}"#))
    await service.stop()
  }

  /// A call that takes a thread long counts as many, so that few of them fit into a bucket.
  @Test func aDearCallCountsAsSeveral() async throws {
    let service = try await service { $0.address = RateLimit(perSecond: 1, burst: 100) }
    let app = try await service.app()
    // ICU compares them at length, and none fits another.
    func tags(_ numbers: Range<Int>) -> JSON {
      .array(
        numbers.map { number in
          .string("zh-Hant-HK" + (0..<9).map { "-\(number + $0)" }.joined())
        })
    }
    let question: JSON = [
      "preferred": tags(2000..<2050), "available": tags(1000..<1000 + Limits.matchedByClient),
    ]
    var statuses: [Int] = []
    for _ in 0..<60 where statuses.last != 429 {
      statuses.append(
        try await app.client.send(
          "POST", "/v1/languages/match", json: question, fields: from("192.0.2.1")
        ).status)
    }
    #expect(statuses.first == 200)
    #expect(statuses.last == 429)
    let other = try await put(app, from: "192.0.2.2")
    #expect(other.status == 201)
    let backend = try await app.sender.send(
      "POST", "/v1/languages/match", json: question, fields: from("192.0.2.1"))
    #expect(backend.status == 200)
    await service.stop()
  }

  /// Calls of a proxy on this machine that nobody has named pass for calls of the machine.
  @Test(arguments: ["X-Forwarded-For", "Forwarded"])
  func aProxyThatIsNotTrustedIsWarnedOfOnce(field: String) async throws {
    let networks = try #require(TrustedProxies.networks("127.0.0.0/8"))
    for (proxies, count) in [
      (TrustedProxies(), 1), (TrustedProxies(networks: networks), 0),
      (TrustedProxies(networks: try #require(TrustedProxies.networks("10.0.0.0/8"))), 1),
    ] {
      let service = try await TestService.start(proxies: proxies)
      func warnings() -> [JSON] {
        service.log.records.filter { $0["event"] == "proxy_not_trusted" }
      }
      let anyone = service.client(key: nil)
      _ = try await anyone.get("/v1/apps")
      #expect(warnings().isEmpty)
      for path in ["/v1/apps", "/nothing", "/healthz"] {
        _ = try await anyone.send("GET", path, fields: [(field, "for=192.0.2.60")])
      }
      #expect(warnings().count == count)
      #expect(warnings().allSatisfy { $0["setting"] == "POSTILION_TRUSTED_PROXIES" })
      await service.stop()
    }
  }

  @Test func anInstallationHasItsCallsAndOthersTheirs() async throws {
    let service = try await service { $0.installation = RateLimit(perSecond: 1, burst: 20) }
    let app = try await service.app()
    let id = Sample.id()
    let first = try await put(app, id)
    #expect(first["ratelimit-policy"] == #""installation";q=20;w=20"#)
    #expect(first["ratelimit"] == #""installation";r=19;t=2"#)
    var statuses: Set<Int> = []
    for _ in 0..<1000 where !statuses.contains(429) {
      statuses.insert(try await put(app, id).status)
    }
    #expect(statuses.contains(429))
    // A limit that a backend does not have is not told to it.
    #expect(try await app.sender.get(app.installation(id))["ratelimit"] == nil)
    #expect(try await put(app).status == 201)
    #expect(try await app.sender.get(app.installation(id)).status == 200)
    await service.stop()
  }

  @Test func aKeyThatLeakedMakesSoManyRowsAndKnownDevicesStillReport() async throws {
    // A full report with two tokens is nine rows, and one for its bytes.
    let service = try await service { $0.keyGrowth = RateLimit(perSecond: 1, burst: 4000) }
    let app = try await service.app()
    let id = Sample.id()
    var known = app.client
    known.secret = try await put(app, id).json["installation_secret"].string
    var created = 0
    while try await put(app).status == 201 { created += 1 }
    // Three quarters of the bucket, and what came meanwhile.
    #expect(created >= 299)
    let failure: JSON = ["kind": "apns", "error": ["domain": "d", "code": 1]]
    // The bucket gains one a second meanwhile; one of its own would take three hundred.
    var reply = try await app.client.post("\(app.path)/failures", failure)
    for _ in 0..<40 where reply.status == 201 {
      reply = try await app.client.post("\(app.path)/failures", failure)
    }
    #expect(reply.problem == "rate_limited")
    let report: JSON = ["credentials": ["apns": ["token": .string(Sample.token())]]]
    #expect(try await known.patch(app.installation(id), report).status == 200)
    let other = app.installation(Sample.id())
    #expect(try await app.sender.put(other, Sample.fullReport()).status == 201)
    // A line for each call of a flood would be one, too.
    let lines = service.log.records.filter { $0["code"] == "rate_limited" }
    #expect(Set(lines.map { $0["level"] }) == ["debug"])
    #expect(Set(lines.map { $0["client"] }) == ["192.0.2.1", "127.0.0.1"])
    await service.stop()
  }

  /// Few rows, but large ones, fill a disk as well.
  @Test func largeReportsCountAsSeveralRows() async throws {
    let service = try await service { $0.keyGrowth = RateLimit(perSecond: 1, burst: 400) }
    let app = try await service.app()
    let id = Sample.id()
    var known = app.client
    known.secret = try await put(app, id).json["installation_secret"].string
    var changed = 0
    while changed < 1000 {
      let text = String(repeating: "x", count: 3900) + "\(changed)"
      let tags = (0..<3).map { JSON.string(String(repeating: "x", count: 100) + "\($0)") }
      let report: JSON = ["attributes": ["a": .string(text)], "tags": .array(tags)]
      let reply = try await known.patch(app.installation(id), report)
      guard reply.status == 200 else {
        #expect(reply.problem == "rate_limited")
        break
      }
      changed += 1
    }
    // Each costs five, the installation ten, and the bucket gains one a second.
    #expect((78..<1000).contains(changed))
    await service.stop()
  }

  @Test func newOnesOfAnAddressAreBounded() async throws {
    let service = try await service { $0.addressGrowth = RateLimit(perSecond: 1, burst: 40) }
    let app = try await service.app()
    while try await put(app, from: "2001:db8:1:2::7").status == 201 {}
    // It gains one a second meanwhile; one of its own would take forty.
    var taken = 0
    while taken < 40, try await put(app, from: "2001:db8:1:2:3::8").status == 201 { taken += 1 }
    #expect(taken < 40)
    #expect(try await put(app, from: "2001:db8:1:3::7").status == 201)
    await service.stop()
  }

  @Test func anAppHasItsInstallationsAndItsFailuresOfADay() async throws {
    let service = try await service {
      $0.installations = 2
      $0.failuresPerDay = 1
    }
    let app = try await service.app()
    let id = Sample.id()
    #expect(try await put(app, id).status == 201)
    #expect(try await put(app).status == 201)
    let refused = try await put(app)
    #expect(refused.problem == "quota_exceeded")
    #expect(refused["retry-after"] == "3600")
    // One that goes makes room when it is counted.
    #expect(try await app.sender.delete(app.installation(id)).status == 204)
    await service.takeCensus()
    #expect(try await put(app).status == 201)
    let failure: JSON = ["kind": "apns", "error": ["domain": "d", "code": 1]]
    #expect(try await app.client.post("\(app.path)/failures", failure).status == 201)
    #expect(try await app.client.post("\(app.path)/failures", failure).problem == "quota_exceeded")
    await service.takeCensus()
    #expect(try await app.client.post("\(app.path)/failures", failure).problem == "quota_exceeded")
    let quotas = try await app.admin.get("\(app.path)/stats").json["quotas"]
    let filtered = try await app.admin.get("\(app.path)/stats?platform=tvos").json["quotas"]
    #expect(quotas["installations"] == ["used": 2, "limit": 2])
    #expect(filtered["installations"] == ["used": 2, "limit": 2])
    #expect(quotas["failures"] == ["used": 1, "limit": 1])
    await service.stop()
  }

  @Test func theCatalogsOfAnAppHaveTheirBytes() async throws {
    let service = try await service { $0.catalogBytes = 100 }
    let app = try await service.app()
    func upload(_ version: String, _ bytes: Int) async throws -> Reply {
      let text = #""K" = "\#(String(repeating: "x", count: bytes - 9))";"#
      return try await app.admin.upload(
        "\(app.path)/catalogs/\(version)", [("en.lproj/Localizable.strings", text)])
    }
    #expect(try await upload("1", 60).status == 201)
    #expect(try await upload("2", 60).problem == "catalog_quota_exceeded")
    #expect(try await upload("1", 90).status == 200)
    #expect(try await app.admin.delete("\(app.path)/catalogs/1").status == 204)
    #expect(try await upload("2", 100).status == 201)
    let quotas = try await app.admin.get("\(app.path)/stats").json["quotas"]
    #expect(quotas["catalog_bytes"] == ["used": 100, "limit": 100])
    await service.stop()
  }
}
