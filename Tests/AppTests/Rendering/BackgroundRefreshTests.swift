import AppTesting
import Testing

/// Silent notifications do not wake an app whose Background App Refresh is off, so it gets its
/// notifications otherwise, unless somebody demands a local one.
@Suite(.serialized) struct BackgroundRefreshTests {
  private static func device(_ refresh: JSON) -> [String: JSON] {
    ["capabilities": ["local-notification"], "background_refresh": refresh]
  }

  @Test(
    arguments: [
      (nil, [:], "local", "declared_local", []),
      ("available", [:], "local", "declared_local", []),
      ("denied", [:], "server", "background_refresh_off", []),
      ("restricted", [:], "server", "background_refresh_off", []),
      (
        "denied", ["localization": "local"], "local", "requested_local",
        ["background_refresh_off"]
      ),
    ] as [(JSON?, [String: JSON], JSON, JSON, [JSON])])
  func theModeMindsIt(
    refresh: JSON?, wish: [String: JSON], mode: JSON, reason: JSON, problems: [JSON]
  ) async throws {
    let scene = try await Scene(
      .inProcess, devices: [Self.device(refresh ?? .null)])
    let more = wish.merging(["explain": true]) { $1 }
    let lines = try await scene.lines(to: ["all": true], more: more)
    let alone = try await scene.lines(
      to: scene.first, accept: "application/json", more: more)
    for answer in [lines[0], alone[0]] {
      #expect(answer["mode"] == mode)
      #expect(answer["explain"]["mode"] == reason)
      #expect(
        answer["problems"].elements.map { $0["code"] }.filter { $0 == "background_refresh_off" }
          == problems)
    }
  }

  @Test(arguments: Transport.allCases)
  func devicesAreFoundByItAndReportItAnew(transport: Transport) async throws {
    let scene = try await Scene(
      transport, devices: ["denied", "restricted", .null].map(Self.device))
    let filter: JSON = ["filter": ["background_refresh": "denied"]]
    let found = try await scene.lines(to: filter)
    #expect(found[0]["installation_id"] == .string(scene.ids[0]))
    #expect(found[1]["summary"]["modes"] == ["server": 1])

    var app = scene.app.sender
    app.key = scene.app.keys["sender"]
    let path = scene.app.installation(scene.ids[0])
    for (said, shown) in [("available", "available"), ("sometimes", "available"), (.null, .null)]
      as [(JSON, JSON)]
    {
      let reply = try await app.patch(path, ["background_refresh": said])
      #expect(reply.status == 200)
      #expect(reply.json["background_refresh"] == shown)
      #expect(
        reply.json["ignored"].elements.map { $0["code"] }
          == (said == "sometimes" ? ["unknown_value"] : []))
    }
    #expect(try await scene.lines(to: filter).count == 1)
  }
}
