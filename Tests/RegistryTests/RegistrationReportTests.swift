import DeviceProfile
import JSON
import Testing

@testable import Registry

@Suite struct RegistrationReportTests {
  private func decode(_ json: String) throws -> Decoded<RegistrationReport> {
    try RegistrationReport.decode(Array(json.utf8))
  }

  /// `pointer code` of every fault.
  private func faults(_ json: String) -> [String] {
    do {
      _ = try decode(json)
      return []
    } catch let failure as InputFailure {
      return failure.problems.map { "\($0.pointer) \($0.code)" }
    } catch {
      return ["\(error)"]
    }
  }

  private static let token = DeviceTokenTests.hex

  @Test func theWholeContract() throws {
    let decoded = try decode(
      """
      {"platform": "ios", "environment": "production",
       "credentials": {"apns": {"token": "\(Self.token)"}, "voip": null},
       "languages": ["zh-Hant-HK", "en-GB", "zh-Hant-HK"], "locale": "en_HK",
       "time_zone": "Asia/Hong_Kong", "app_version": "3.2.0", "app_build": "412",
       "os_version": "17.4.1", "device_model": "iPhone15,2", "localization": "server",
       "capabilities": ["loc-key"],
       "authorization": {"status": "authorized", "time_sensitive": true, "alert": false},
       "background_refresh": "denied", "bundle_id": "com.example.watch",
       "frequent_pushes": true, "live_activities_allowed": false,
       "user": {"id": "u42", "token": "a.b.c"}, "tags": ["beta"],
       "attributes": {"plan": "pro", "n": 3, "x": 1.5, "on": true, "none": null},
       "reported_at": "2026-05-02T19:32:41Z"}
      """)
    let report = decoded.body
    #expect(decoded.ignored.isEmpty)
    #expect(report.platform == .ios)
    #expect(report.environment == .production)
    #expect(report.credentials.brought[.apns]?.token.hex == Self.token)
    #expect(report.credentials.replaced == [CredentialPlace(.voip)])
    #expect(report.languages == .set(["zh-Hant-HK", "en-GB"]))
    #expect(report.locale == .set("en_HK"))
    #expect(report.timeZone == .set("Asia/Hong_Kong"))
    #expect(report.appVersion == .set("3.2.0"))
    #expect(report.appBuild == .set("412"))
    #expect(report.osVersion == .set("17.4.1"))
    #expect(report.deviceModel == .set("iPhone15,2"))
    #expect(report.localization == .set(.server))
    #expect(report.capabilities == .set(["loc-key"]))
    #expect(
      report.authorization.value?.json
        == #"{"alert":false,"status":"authorized","time_sensitive":true}"#)
    #expect(report.backgroundRefresh == .set(.denied))
    #expect(report.bundleID == .set("com.example.watch"))
    #expect(report.frequentPushes == .set(true))
    #expect(report.liveActivitiesAllowed == .set(false))
    #expect(report.user == .set(ReportedUser(id: "u42", token: "a.b.c")))
    #expect(report.tags == .set(["beta"]))
    #expect(
      report.attributes.value?.json == #"{"n":3,"none":null,"on":true,"plan":"pro","x":1.5}"#)
    #expect(report.reportedAt?.rfc3339 == "2026-05-02T19:32:41.000Z")
  }

  @Test func leftOutKeepsAndNullClears() throws {
    #expect(try decode("{}").body == RegistrationReport())
    let cleared = try decode(
      """
      {"credentials": null, "languages": null, "locale": null, "time_zone": null,
       "app_version": null, "app_build": null, "os_version": null, "device_model": null,
       "localization": null, "capabilities": null, "authorization": null,
       "background_refresh": null, "bundle_id": null, "frequent_pushes": null,
       "live_activities_allowed": null, "user": null,
       "tags": null, "attributes": null, "reported_at": null}
      """
    ).body
    var expected = RegistrationReport()
    expected.credentials.replaced = Set(CredentialKind.allCases.map { CredentialPlace($0) })
    (expected.languages, expected.capabilities, expected.tags) = (.clear, .clear, .clear)
    (expected.locale, expected.timeZone, expected.deviceModel) = (.clear, .clear, .clear)
    (expected.appVersion, expected.appBuild, expected.osVersion) = (.clear, .clear, .clear)
    (expected.localization, expected.authorization) = (.clear, .clear)
    (expected.backgroundRefresh, expected.user) = (.clear, .clear)
    (expected.bundleID, expected.frequentPushes) = (.clear, .clear)
    expected.liveActivitiesAllowed = .clear
    expected.attributes = .clear
    #expect(cleared == expected)
  }

  @Test(arguments: [
    (#"{"platform": "android"}"#, "/platform unknown_value"),
    (#"{"platform": null}"#, "/platform wrong_type"),
    (#"{"platform": 1}"#, "/platform wrong_type"),
    (#"{"environment": "prod"}"#, "/environment unknown_value"),
    (#"{"environment": null}"#, "/environment wrong_type"),
    (#"{"credentials": []}"#, "/credentials wrong_type"),
    (#"{"credentials": {"apns": "740f"}}"#, "/credentials/apns wrong_type"),
    (#"{"credentials": {"apns": {}}}"#, "/credentials/apns/token missing_field"),
    (#"{"credentials": {"apns": {"token": null}}}"#, "/credentials/apns/token wrong_type"),
    (#"{"credentials": {"apns": {"token": 7}}}"#, "/credentials/apns/token wrong_type"),
    (
      #"{"credentials": {"voip": {"token": "32 bytes"}}}"#,
      "/credentials/voip/token token_description"
    ),
    (#"{"credentials": {"apns": {"token": "abc"}}}"#, "/credentials/apns/token token_odd_length"),
    (#"{"user": "u42"}"#, "/user wrong_type"),
    (#"{"user": {}}"#, "/user/id missing_field"),
    (#"{"user": {"id": ""}}"#, "/user/id too_short"),
    (#"{"user": {"id": 42}}"#, "/user/id wrong_type"),
    (#"{"user": {"id": "\#(String(repeating: "u", count: 257))"}}"#, "/user/id too_long"),
    (#"{"reported_at": "yesterday"}"#, "/reported_at invalid_timestamp"),
    (#"{"reported_at": 1777750361}"#, "/reported_at wrong_type"),
    ("[]", " wrong_type"),
    ("null", " wrong_type"),
    ("\"ios\"", " wrong_type"),
    ("", " malformed_json"),
    ("{\"platform\": \"ios\"", " malformed_json"),
    (#"{"locale": "\ud800"}"#, " malformed_json"),
    (#"{"locale": "en", }"#, " malformed_json"),
    (#"{"tags": ["a",]}"#, " malformed_json"),
  ])
  func aReportThatCannotBeMeantIsRefused(json: String, fault: String) {
    #expect(faults(json) == [fault])
  }

  /// No token is lost over them, and what is stored stays.
  @Test(arguments: [
    (#"{"languages": "en"}"#, "/languages wrong_type"),
    (#"{"languages": [5, null, {}]}"#, "/languages/0 wrong_type"),
    (#"{"languages": ["C", "*"]}"#, "/languages/0 invalid_language"),
    (#"{"locale": ""}"#, "/locale invalid_locale"),
    (#"{"locale": "C"}"#, "/locale invalid_locale"),
    (#"{"locale": "garbage!!"}"#, "/locale invalid_locale"),
    (#"{"locale": 5}"#, "/locale wrong_type"),
    (#"{"time_zone": 5}"#, "/time_zone wrong_type"),
    (#"{"app_version": 3.2}"#, "/app_version wrong_type"),
    (#"{"app_build": -412}"#, "/app_build unreadable_version"),
    (#"{"app_build": 18446744073709551616}"#, "/app_build wrong_type"),
    (#"{"localization": 1}"#, "/localization wrong_type"),
    (#"{"os_version": true}"#, "/os_version wrong_type"),
    (#"{"device_model": ["x"]}"#, "/device_model wrong_type"),
    (#"{"capabilities": {}}"#, "/capabilities wrong_type"),
    (#"{"authorization": "authorized"}"#, "/authorization wrong_type"),
    (#"{"authorization": {"alert": true}}"#, "/authorization/status missing_field"),
    (#"{"authorization": {"status": null}}"#, "/authorization/status missing_field"),
    (#"{"authorization": {"status": 2}}"#, "/authorization/status wrong_type"),
    (#"{"background_refresh": true}"#, "/background_refresh wrong_type"),
    (#"{"tags": [true]}"#, "/tags/0 wrong_type"),
    (#"{"attributes": []}"#, "/attributes wrong_type"),
    (#"{"attributes": {"a": {}}}"#, "/attributes/a wrong_type"),
    (#"{"attributes": {"a/b~": []}}"#, "/attributes/a~1b~0 wrong_type"),
  ])
  func whatIsSecondaryAndCannotBeReadIsKept(json: String, fault: String) throws {
    let decoded = try decode(json)
    #expect(decoded.ignored.first.map { "\($0.pointer) \($0.code)" } == fault)
    #expect(decoded.body == RegistrationReport())
  }

  @Test func whatCanBeReadOfAListCounts() throws {
    let decoded = try decode(
      """
      {"languages": ["zh_CN_#Hans", null, "*", "sr_RS@latin", "en"], "tags": ["a", 1, "b"],
       "capabilities": [null, "loc-key"], "attributes": {"a": [], "b": 1}, "app_build": 412,
       "os_version": 17, "locale": "zh_TW_#Hant",
       "authorization": {"status": "denied", "alert": 1, "badge": true}}
      """)
    let report = decoded.body
    #expect(report.languages == .set(["zh-Hans-CN", "sr-Latn-RS", "en"]))
    #expect(report.locale == .set("zh-Hant-TW"))
    #expect(report.tags == .set(["a", "b"]))
    #expect(report.capabilities == .set(["loc-key"]))
    #expect(report.attributes.value?.json == #"{"b":1}"#)
    #expect(report.appBuild == .set("412"))
    #expect(report.osVersion == .set("17"))
    #expect(report.authorization.value?.json == #"{"badge":true,"status":"denied"}"#)
    #expect(
      decoded.ignored.map { "\($0.pointer) \($0.code)" } == [
        "/languages/1 wrong_type", "/languages/2 invalid_language", "/capabilities/0 wrong_type",
        "/authorization/alert wrong_type", "/tags/1 wrong_type", "/attributes/a wrong_type",
      ])
  }

  /// A number of more than 64 bits keeps its digits, or it is told; it is never another one.
  @Test func attributesKeepAllDigitsOfANumber() throws {
    let json = #"{"a":18446744073709551615,"b":-9223372036854775809,"c":3.14159265358979323846}"#
    #expect(try decode(#"{"attributes": \#(json)}"#).body.attributes.value?.json == json)
  }

  @Test func allFaultsAreReportedTogether() {
    let found = faults(
      #"{"platform": "x", "user": 1, "credentials": {"apns": {"token": "zz"}, "voip": 3}}"#)
    #expect(
      Set(found) == [
        "/platform unknown_value", "/user wrong_type", "/credentials/apns/token token_not_hex",
        "/credentials/voip wrong_type",
      ])
  }

  @Test(arguments: [
    (#""languages": ["en", "not a tag"]"#, "/languages/1 invalid_language"),
    (#""time_zone": "Mars/Olympus""#, "/time_zone unknown_time_zone"),
    (#""app_version": "3.2-beta""#, "/app_version unreadable_version"),
    (#""app_build": "unknown""#, "/app_build unreadable_version"),
    (#""os_version": "17.4 (21E219)""#, "/os_version unreadable_version"),
    (#""background_refresh": "sometimes""#, "/background_refresh unknown_value"),
    (#""shoe_size": 42"#, "/shoe_size unknown_field"),
    (#""a/b": null"#, "/a~1b unknown_field"),
    (
      #""authorization": {"status": "denied", "smell": true}"#,
      "/authorization/smell unknown_field"
    ),
    (#""user": {"id": "u", "name": "x"}"#, "/user/name unknown_field"),
    (#""locale": "a\u0000""#, "/locale contains_nul"),
    (#""localization": "device""#, "/localization unknown_value"),
    (#""authorization": {"status": "maybe"}"#, "/authorization/status unknown_value"),
    (#""attributes": {"": 1}"#, "/attributes/ too_short"),
    (#""attributes": {"a": "\u0000"}"#, "/attributes/a contains_nul"),
    (
      #""attributes": {"a": "\#(String(repeating: "a", count: 4096))"}"#, "/attributes too_long"
    ),
  ])
  func secondaryDataThatCannotBeReadIsLeftOutAndTheTokenKept(field: String, problem: String) throws
  {
    let decoded = try decode(
      #"{"credentials": {"apns": {"token": "\#(Self.token)"}}, \#(field)}"#)
    #expect(decoded.body.credentials.brought[.apns] != nil)
    #expect(decoded.ignored.map { "\($0.pointer) \($0.code)" } == [problem])
  }

  @Test func unknownCredentialKindsAreListed() throws {
    let decoded = try decode(#"{"credentials": {"liveactivity": {"token": "ab"}}}"#)
    #expect(decoded.ignored.map(\.pointer) == ["/credentials/liveactivity"])
  }

  @Test(arguments: [("languages", 50, "en-A"), ("capabilities", 32, "c"), ("tags", 60, "t")])
  func listsAreFullAtTheirBoundAndTheFirstAreKept(name: String, maximum: Int, prefix: String) throws
  {
    func body(_ count: Int) -> String {
      let texts = (0..<count).map { "\"\(prefix)\($0)\"" }.joined(separator: ",")
      return "{\"\(name)\": [\(texts)]}"
    }
    let full = try decode(body(maximum))
    #expect(full.ignored.isEmpty)
    let more = try decode(body(maximum + 1))
    #expect(more.ignored.map { "\($0.pointer) \($0.code)" } == ["/\(name) too_many"])
    #expect(more.body == full.body)
  }

  @Test func attributesAreBounded() throws {
    func body(_ count: Int) -> String {
      "{\"attributes\": {\((0..<count).map { "\"a\($0)\": 1" }.joined(separator: ","))}}"
    }
    #expect(try decode(body(64)).body.attributes.value != nil)
    let more = try decode(body(65))
    #expect(more.ignored.map { "\($0.pointer) \($0.code)" } == ["/attributes too_many"])
    #expect(more.body.attributes == .keep)
  }

  @Test func faultsAreBounded() {
    let tags = Array(repeating: "1", count: 60).joined(separator: ",")
    #expect((try? decode("{\"tags\": [\(tags)]}"))?.ignored.count == InputLimits.problems)
    let names = (0..<500).map { "\"x\($0)\": 1" }.joined(separator: ",")
    #expect((try? decode("{\(names)}"))?.ignored.count == InputLimits.problems)
  }

  @Test(arguments: [600, 10_000, 100_000])
  func deepNestingIsRefusedAndHarmless(depth: Int) {
    let array = String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
    #expect(faults(#"{"tags": \#(array)}"#) == [" malformed_json"])
    #expect(faults(String(repeating: #"{"a":"#, count: depth)) == [" malformed_json"])
  }

  @Test func commasAndBracketsInsideTextAreText() {
    #expect(faults(#"{"tags": [",]", "\",}", "a\\"]}"#).isEmpty)
  }

  @Test func invalidUTF8IsMalformed() {
    #expect {
      try RegistrationReport.decode([0x7B, 0x22, 0xFF, 0x22, 0x3A, 0x31, 0x7D])
    } throws: { error in
      (error as? InputFailure)?.problems.first?.code == "malformed_json"
    }
  }
}
