import DeviceProfile
import Foundation
import HTTP
import JSON
import Testing

@testable import App
@testable import Registry

@Suite struct InstallationViewTests {
  private func object(_ view: InstallationView) throws -> [String: Any] {
    try #require(try JSONSerialization.jsonObject(with: Data(view.json)) as? [String: Any])
  }

  @Test func showsTheStoredStateInContractNames() throws {
    var device = RegistrationCase.device
    device.authorization = Authorization(status: .denied) { $0 == .alert ? false : nil }
    let shown = try object(InstallationView(installation: device))
    #expect(
      Set(shown.keys) == [
        "installation_id", "platform", "environment", "credentials", "languages", "locale",
        "time_zone", "app_version", "app_build", "os_version", "device_model", "localization",
        "capabilities", "authorization", "background_refresh", "user", "tags", "attributes",
        "bundle_id", "frequent_pushes", "live_activities_allowed",
        "language_override", "reported_at", "created_at", "updated_at", "last_seen_at",
      ])
    let credentials = try #require(shown["credentials"] as? [String: [String: Any]])
    #expect(credentials["apns"]?["token"] as? String == device.credentials[.apns]?.token.hex)
    #expect(credentials["apns"]?["status"] as? String == "active")
    #expect(credentials["apns"]?["reason"] is NSNull)
    #expect(shown["user"] as? [String: String] == ["id": "u42"])
    #expect(shown["locale"] is NSNull)
    #expect(shown["attributes"] as? [String: String] == ["plan": "pro"])
    #expect((shown["authorization"] as? [String: Any])?["status"] as? String == "denied")
  }

  @Test func anAnswerSaysWhatBecameOfTheReport() throws {
    let problem = InputProblem(pointer: "/x\"", code: "unknown_field", detail: "line\nbreak")
    let shown = try object(
      InstallationView(
        installation: RegistrationCase.device,
        result: .init(applied: false, ignored: [problem], secret: "s")))
    #expect(shown["applied"] as? Bool == false)
    #expect(shown["installation_secret"] as? String == "s")
    #expect(
      shown["ignored"] as? [[String: String]]
        == [["pointer": "/x\"", "code": "unknown_field", "detail": "line\nbreak"]])
  }

  @Test func theSecretIsShownOnlyOnce() throws {
    let shown = try object(
      InstallationView(
        installation: RegistrationCase.device, result: .init(applied: true, ignored: [])))
    #expect(shown["installation_secret"] == nil)
  }

  @Test func anExportImportsAgain() throws {
    let view = InstallationView(installation: RegistrationCase.device)
    let report = try RegistrationReport.decode(view.json).body
    let decision = try Registration.decide(
      .init(
        appID: 1, id: RegistrationCase.own, stored: RegistrationCase.device,
        now: RegistrationCase.start),
      report)
    #expect(decision.effect == .seen)
  }

  @Test(
    arguments: [
      ([:], "{}"),
      (["b": .integer(1), "a": .bool(true), "aa": .null], #"{"a":true,"aa":null,"b":1}"#),
      (["t": .string("a\"\\\n\u{1}é")], #"{"t":"a\"\\\n\u0001é"}"#),
      (["n": .double(1.5)], #"{"n":1.5}"#),
    ] as [(JSONObject, String)])
  func attributesHaveOneSpelling(values: JSONObject, json: String) {
    #expect(Attributes(values).json == json)
  }
}
