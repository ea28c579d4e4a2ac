import Foundation
import PostilionClient
import PostilionClientTesting
import Testing

/// The server in memory takes and shows tokens of every kind, as `openapi.yaml` says.
@Suite struct InMemoryCredentialTests {
  private static let id = UUID()
  private static func token(_ digits: String) -> PayloadValue {
    .string(String(repeating: digits, count: 16))
  }

  /// A token of each kind.
  private static let all: PayloadValue = [
    "apns": ["token": token("a1")], "voip": ["token": token("a2")],
    "widgets": ["token": token("a3"), "widgets": [["kind": "Orders"]]],
    "location": ["token": token("a4")],
    "push_to_talk": ["token": token("a5"), "joined": true],
    "file_provider": ["token": token("a6")], "complication": ["token": token("a7")],
    "nowplaying_start": ["token": token("a8")],
    "live_activity_start": ["Delivery": ["token": token("a9")], "Ride": ["token": token("b1")]],
    "live_activities": ["A7": ["token": token("b2"), "type": "Delivery"]],
    "controls": ["Lights": ["porch": ["token": token("b3")], "hall": ["token": token("b4")]]],
    "nowplaying": ["S1": ["token": token("b5")]],
  ]

  private static func report(
    _ credentials: PayloadValue, _ environment: PayloadValue = "production"
  ) -> [String: PayloadValue] {
    ["platform": "ios", "environment": environment, "credentials": credentials]
  }

  /// What a test wrote, of what the server shows: without what it adds.
  private static func own(_ shown: PayloadValue?) -> PayloadValue {
    guard let members = shown?.object else { return shown ?? .null }
    let added = ["status", "registered_at", "invalidated_at", "reason", "environment"]
    return .object(members.filter { !added.contains($0.key) }.mapValues(own))
  }

  @Test func whatIsReportedIsShown() async {
    let server = InMemoryServer()
    #expect(await server.addInstallation(Self.id, Self.report(Self.all, "sandbox")) == nil)
    let shown = await server.installation(Self.id)?["credentials"]
    #expect(Self.own(shown) == Self.all)
    #expect(shown?["controls"]?["Lights"]?["porch"]?["status"] == "active")
    #expect(shown?["widgets"]?["environment"] == "sandbox")
    #expect(shown?["nowplaying"]?["S1"]?["environment"] == "production")
    #expect(shown?["apns"]?["environment"] == nil)
  }

  /// What a second report says, and which places are gone after it.
  @Test(
    arguments: [
      ([:], []),
      (["widgets": nil], [["widgets"]]),
      (["live_activities": ["A7": nil]], [["live_activities", "A7"]]),
      (["live_activity_start": ["Ride": nil]], [["live_activity_start", "Ride"]]),
      (
        ["live_activity_start": nil],
        [["live_activity_start", "Ride"], ["live_activity_start", "Delivery"]]
      ),
      (
        ["controls": ["Lights": ["porch": ["token": token("b3")]]]],
        [["controls", "Lights", "hall"]]
      ),
      (["controls": ["Blinds": [:]]], []),
      (
        ["controls": ["Lights": nil]],
        [["controls", "Lights", "porch"], ["controls", "Lights", "hall"]]
      ),
    ] as [(PayloadValue, [[String]])])
  func whatIsLeftOutStays(_ change: PayloadValue, _ gone: [[String]]) async {
    let server = InMemoryServer()
    #expect(await server.addInstallation(Self.id, Self.report(Self.all)) == nil)
    #expect(await server.addInstallation(Self.id, ["credentials": change]) == nil)
    let places = Self.places(await server.installation(Self.id)?["credentials"])
    #expect(Self.places(Self.all).subtracting(places) == Set(gone))
    #expect(places.isSubset(of: Self.places(Self.all)))
  }

  /// The places of all tokens in a value.
  private static func places(_ value: PayloadValue?, below place: [String] = []) -> Set<[String]> {
    guard let members = value?.object else { return [] }
    if members["token"]?.string != nil { return [place] }
    return members.reduce(into: []) { $0.formUnion(places($1.value, below: place + [$1.key])) }
  }

  /// A wrong token refuses the whole report.
  @Test(
    arguments: [
      ["widgets": ["token": "xyz"]], ["widgets": [:]],
      ["widgets": ["token": token("a3"), "widgets": "Orders"]],
      ["live_activities": ["token": token("a3")]],
      ["live_activities": ["A": ["token": token("a3"), "type": ""]]],
      ["live_activities": ["": ["token": token("a3")]]],
      ["controls": ["Lights": ["token": token("a3")]]],
      ["push_to_talk": ["token": token("a3"), "joined": 1]],
      ["location": ["token": token("a3"), "environment": "test"]],
      [
        "nowplaying": .object(
          Dictionary(uniqueKeysWithValues: (0...32).map { ("\($0)", ["token": token("a3")]) }))
      ],
    ] as [PayloadValue])
  func aWrongTokenIsRefused(_ credentials: PayloadValue) async {
    let server = InMemoryServer()
    let code = await server.addInstallation(Self.id, Self.report(credentials))
    #expect(code == "invalid_input")
    #expect(await server.installations.isEmpty)
  }

  @Test func aTokenMovesWithItsKind() async {
    let server = InMemoryServer()
    let other = UUID()
    #expect(await server.addInstallation(other, Self.report(Self.all)) == nil)
    let own: PayloadValue = [
      "live_activities": ["B1": ["token": Self.token("b2")]],
      "location": ["token": Self.token("a3")],
    ]
    #expect(await server.addInstallation(Self.id, Self.report(own)) == nil)
    let left = Self.places(await server.installation(other)?["credentials"])
    #expect(Self.places(Self.all).subtracting(left) == [["live_activities", "A7"]])
  }

  /// Another build has other tokens, but for those for now playing.
  @Test func anotherEnvironmentHasOtherTokens() async {
    let server = InMemoryServer()
    #expect(await server.addInstallation(Self.id, Self.report(Self.all)) == nil)
    let next: PayloadValue = ["apns": ["token": Self.token("c1")], "voip": nil]
    #expect(await server.addInstallation(Self.id, Self.report(next, "sandbox")) == nil)
    let places = Self.places(await server.installation(Self.id)?["credentials"])
    #expect(places == [["apns"], ["nowplaying", "S1"], ["nowplaying_start"]])
  }

  @Test func theOldestActivityMakesRoom() async {
    let clock = Clock()
    let server = InMemoryServer(now: { clock.next() })
    #expect(await server.addInstallation(Self.id, Self.report([:])) == nil)
    for number in 0..<40 {
      let activity: PayloadValue = [
        "token": Self.token(number < 10 ? "c\(number)" : "\(number)")
      ]
      let report: PayloadValue = ["live_activities": .object(["A\(number)": activity])]
      #expect(await server.addInstallation(Self.id, ["credentials": report]) == nil)
    }
    let shown = await server.installation(Self.id)?["credentials"]?["live_activities"]?.object
    #expect(shown.map { Set($0.keys) } == Set((8..<40).map { "A\($0)" }))
  }

  private final class Clock: Sendable {
    private let seconds = Guarded(0.0)
    func next() -> Date {
      seconds.withLock { seconds in
        seconds += 1
        return Date(timeIntervalSince1970: 1_800_000_000 + seconds)
      }
    }
  }

  /// What the library tells is on the server, and goes again.
  @Test func theLibraryAndTheServerSpeakOfTheSame() async throws {
    let server = InMemoryServer(bundleIDs: ["com.example.food.watch"])
    let memory = DeviceMemory()
    var configuration = server.configuration
    configuration.bundleID = "com.example.food.watch"
    let client = Postilion(identityStore: memory, stateStore: memory, transport: server)
    let token = Data(repeating: 0xB2, count: 16)
    client.start(configuration)
    client.setLiveActivities(areAllowed: true, frequentPushes: false)
    client.register(token: token, for: .liveActivity(id: "A7", type: "Delivery"))
    client.register(token: token, for: .widgets([["kind": "Orders"]]))
    client.setControls(["porch": token], handler: "Lights")
    await client.settled()
    let installation = await server.installation(memory.identity?.id)
    #expect(installation?["bundle_id"] == "com.example.food.watch")
    #expect(installation?["live_activities_allowed"] == true)
    #expect(installation?["frequent_pushes"] == false)
    #expect(
      Self.own(installation?["credentials"]) == [
        "live_activities": ["A7": ["token": Self.token("b2"), "type": "Delivery"]],
        "widgets": ["token": Self.token("b2"), "widgets": [["kind": "Orders"]]],
        "controls": ["Lights": ["porch": ["token": Self.token("b2")]]],
      ])
    client.setRunningLiveActivities([], type: "Delivery")
    client.remove(.widgets())
    client.setControls([:], handler: "Lights")
    await client.settled()
    #expect(await server.installation(memory.identity?.id)?["credentials"] == [:])
  }

  /// A bundle id that the app does not have is refused.
  @Test func anUnknownBundleIDIsRefused() async {
    let server = InMemoryServer(bundleIDs: ["com.example.food.watch"])
    var report = Self.report([:])
    report["bundle_id"] = "com.example.other"
    #expect(await server.addInstallation(Self.id, report) == "invalid_input")
    report["bundle_id"] = "com.example.food.watch"
    #expect(await server.addInstallation(Self.id, report) == nil)
  }
}
