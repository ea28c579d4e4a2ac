import AppTesting
import Foundation
import Testing

@testable import PostilionClient
@testable import PostilionClientTesting

/// What the library sends and reads is what `openapi.yaml` says.
@Suite struct ClientContractTests {
  private static let document = ContractDocument.shared

  private static func schema(_ name: String) -> JSON {
    document.content["components"]["schemas"][name]
  }

  private static func json(_ value: [String: PayloadValue]) throws -> JSON {
    JSON(parsing: Array(try JSONEncoder().encode(value)))
  }

  /// A registration with every field.
  private static var state: RegistrationState {
    var state = RegistrationState()
    state.adopt(InstallationIdentity())
    let profile = DeviceProfile(
      platform: .ios, environment: .production, languages: ["fr-CA"], locale: "fr_CA",
      timeZone: "America/Toronto", appVersion: "3.2.0", appBuild: "412", osVersion: "17.4.1",
      deviceModel: "iPhone15,2")
    state.apply(.launched(profile.fields))
    state.apply(.token(.apns, Data(repeating: 1, count: 32)))
    state.apply(.token(.voip, Data(repeating: 2, count: 32)))
    state.apply(.signedIn("u42", proof: "a.b.c"))
    let switches = NotificationAuthorization.Switch.allCases.map { ($0, true) }
    let authorization = NotificationAuthorization(
      .authorized, Dictionary(uniqueKeysWithValues: switches))
    state.apply(
      .fields([
        .tags: ["beta"], .attributes: ["plan": "pro", "orders": 3, "vip": true],
        .capabilities: ["loc-key"], .localization: "auto",
        .authorization: authorization.payloadValue, .backgroundRefresh: "available",
        .bundleID: "com.example.food.watch", .frequentPushes: true, .liveActivitiesAllowed: true,
      ]))
    for (number, credential) in credentials.enumerated() {
      guard let place = credential.place else { continue }
      var members = credential.details
      members["token"] = .string(String(repeating: "c\(number)", count: 32))
      state.apply(.credential(place, .object(members)))
    }
    let control: PayloadValue = ["token": .string(String(repeating: "d0", count: 32))]
    state.apply(.credential(ReportPlace(.controls, "LightHandler"), ["porch": control]))
    return state
  }

  /// One of each kind.
  private static let credentials: [PushCredential] = [
    .liveActivityStart(type: "Delivery"), .liveActivity(id: "A7C1", type: "Delivery"),
    .widgets([["kind": "Orders", "family": "systemSmall"]]), .nowPlayingStart,
    .nowPlaying(session: "S1"), .location, .pushToTalk(), .fileProvider, .complication,
  ]

  private static func body(_ state: RegistrationState) throws -> JSON {
    guard case .send(let request) = state.next(at: Date(), interval: 86_400) else { return .absent }
    return try json(request.body ?? [:])
  }

  @Test func aReportIsThatOfTheContract() throws {
    var state = Self.state
    let report = try Self.body(state)
    let schema = Self.schema("RegistrationReport")
    #expect(Self.document.faults(report, schema) == [])
    // Tags and attributes come by name, behind the first report.
    guard case .send(let whole) = state.next(at: Date(), interval: 86_400) else { return }
    state.willSend(whole, at: Date())
    _ = state.ended(
      whole, .accepted(ReportAnswer(isNew: true)), at: Date(), random: 0)
    let names = try Self.body(state)
    #expect(Self.document.faults(names, schema) == [])
    #expect(names["tag_changes"] == ["add": ["beta"]])
    #expect(names["attributes"] == ["plan": "pro", "orders": 3, "vip": true])
    // All fields of the contract, and no other; a list of tags is for backends.
    #expect(
      Set(report.names).union(names.names).union(["tags"]) == Set(schema["properties"].names))
    let kinds = Self.schema("ReportedCredentials")["properties"].names
    #expect(Set(report["credentials"].names) == Set(kinds))
    // So does the server that apps test with.
    #expect(Set(ServerKind.nameCounts.keys) == Set(kinds))
    #expect(report["user"] == ["id": "u42", "token": "a.b.c"])
  }

  @Test func aClearedReportIsThatOfTheContract() throws {
    var state = Self.state
    // What was never sent needs no removal.
    if case .send(let request) = state.next(at: Date(), interval: 86_400) {
      state.willSend(request, at: Date())
    }
    state.apply(.signedOut)
    state.apply(.credential(ReportPlace(.voip), .null))
    for place in state.wanted.credentials.values.keys { state.apply(.credential(place, .null)) }
    let report = try Self.body(state)
    #expect(report["user"] == .null)
    #expect(report["credentials"]["live_activities"] == ["A7C1": .null])
    #expect(Self.document.faults(report, Self.schema("RegistrationReport")) == [])
  }

  @Test func aFailureIsThatOfTheContract() throws {
    let failure = FailureReport(
      kind: .voip, domain: String(repeating: "é", count: 200), code: -1,
      message: String(repeating: "é", count: 4000), occurredAt: Date())
    let report = try Self.json(
      failure.report(installation: UUID(), Self.state.wanted))
    let schema = Self.schema("FailureReport")
    #expect(Self.document.faults(report, schema) == [])
    #expect(Set(report.names) == Set(schema["properties"].names))
    #expect(report["error"]["domain"].string?.utf8.count == 256)
    #expect(report["error"]["message"].string?.utf8.count == 4096)
  }

  private static func words(_ schema: JSON) -> Set<String> {
    Set(document.resolved(schema)["x-extensible-enum"].elements.compactMap(\.string))
  }

  @Test func theWordsAreThoseOfTheContract() {
    let platforms: [DeviceProfile.Platform] = [.ios, .ipados, .macos, .tvos, .watchos, .visionos]
    #expect(Set(platforms.map(\.rawValue)) == Self.words(Self.schema("Platform")))
    let environments: [APSEnvironment] = [.production, .sandbox]
    #expect(Set(environments.map(\.rawValue)) == Self.words(Self.schema("Environment")))
    let kinds: [FailureKind] = [.apns, .voip, .authorization]
    #expect(Set(kinds.map(\.rawValue)) == Self.words(Self.schema("FailureKind")))
    let refresh: [BackgroundRefreshStatus] = [.available, .denied, .restricted]
    #expect(Set(refresh.map(\.rawValue)) == Self.words(Self.schema("BackgroundRefresh")))
    let authorization = Self.schema("Authorization")["properties"]
    let statuses: [NotificationAuthorization.Status] = [
      .notDetermined, .denied, .authorized, .provisional, .ephemeral,
    ]
    #expect(Set(statuses.map(\.rawValue)) == Self.words(authorization["status"]))
    let switches = NotificationAuthorization.Switch.allCases.map(\.rawValue)
    #expect(Set(switches + ["status"]) == Set(authorization.names))
  }

  /// Codes that the library acts on.
  @Test(arguments: [
    "installation_not_found", "installation_secret_wrong", "installation_claim_needed",
    "identity_token_expired",
  ])
  func theCodesAreThoseOfTheContract(_ code: String) {
    let texts = ["Problem", "ReportedUser"].map { Self.schema($0)["description"].string ?? "" }
    #expect(texts.joined().contains("`\(code)`"))
  }
}
