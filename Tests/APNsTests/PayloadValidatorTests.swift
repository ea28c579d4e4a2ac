import APNs
import JSON
import Testing

@Suite struct PayloadValidatorTests {
  @Test(arguments: PayloadValidatorTable.rows)
  func theProblemsOfANotificationAreFound(row: PayloadValidatorTable.Row) throws {
    let payload = try #require(Payload(json: Array(row.json.utf8)))
    var headers = RequestHeaders(
      bundleID: "com.example.app", pushType: row.pushType, now: 1_700_000_000)
    row.change(&headers)
    let problems = PayloadValidator.problems(
      payload: payload, payloadBytes: payload.encoded().count, headers: headers)
    #expect(problems.map(\.code) == row.codes)
    #expect(problems.allSatisfy { $0.detail.hasSuffix(".") })
  }

  @Test func eachProblemIsInTheTable() {
    // The latter are those of `PayloadCheck`, which knows the strings of the app.
    let shown = Set(PayloadValidatorTable.rows.flatMap(\.codes))
      .union(["payload_too_large", "reserved_aps_in_data"])
      .union([
        "loc_key_shown", "loc_key_missing", "loc_key_unchecked", "null_shown",
        "placeholder_shown", "placeholder_lost", "markup_shown", "null_in_data",
        "member_empty", "volume_ignored",
      ])
    #expect(Set(PayloadProblem.Code.allCases.map(\.rawValue)).subtracting(shown).sorted() == [])
  }

  @Test func aFaultIsToldFromANotice() {
    let notices = PayloadProblem.Code.allCases.filter(\.isNotice).map(\.rawValue)
    #expect(
      notices == [
        "legacy_key", "activity_key_ignored", "voip_expiration_long", "voip_with_collapse_id",
        "voip_with_loc_key", "loc_key_missing", "loc_key_unchecked", "null_in_data",
        "expiration_too_late", "member_empty", "volume_ignored",
      ])
  }

  @Test(
    arguments: [
      (#"{"alert":"x","sound":"a"}"#, []), (#"{"alert":""}"#, []),
      (
        #"{"alert":{"title":"","subtitle":"","body":"x","launch-image":""}}"#,
        ["alert/title", "alert/subtitle", "alert/launch-image"]
      ),
      (
        #"{"alert":"x","sound":"","thread-id":"","category":"","target-content-id":""}"#,
        ["category", "target-content-id", "thread-id", "sound"]
      ),
      (#"{"alert":"x","sound":{"name":"a","volume":0.5}}"#, ["sound/volume"]),
      (#"{"alert":"x","sound":{"critical":0,"name":"a","volume":0.5}}"#, ["sound/volume"]),
      (#"{"alert":"x","sound":{"critical":1,"name":"a","volume":0}}"#, []),
    ] as [(String, [String])])
  func aMemberWithoutEffectIsTold(aps: String, places: [String]) throws {
    let payload = try #require(Payload(json: Array("{\"aps\":\(aps)}".utf8)))
    let problems = PayloadValidator.membersWithoutEffect(of: payload, at: "/payload")
    #expect(problems.map(\.pointer) == places.map { "/payload/aps/\($0)" })
    #expect(problems.allSatisfy { $0.kind.isNotice })
  }

  @Test(arguments: [(4096, 0), (4097, 1)])
  func bytesAreCountedNotCharacters(bytes: Int, count: Int) {
    var aps = APS()
    let frame = #"{"aps":{"alert":""}}"#.utf8.count
    let text = String(repeating: "é", count: (bytes - frame) / 2)
    aps.alert = .text((bytes - frame).isMultiple(of: 2) ? text : "x" + text)
    let payload = Payload(aps: aps)
    #expect(payload.encoded().count == bytes)
    let problems = PayloadValidator.problems(
      payload: payload, payloadBytes: bytes,
      headers: RequestHeaders(bundleID: "b", pushType: .alert, now: 0))
    #expect(problems.map(\.code) == Array(repeating: "payload_too_large", count: count))
  }

  @Test func apsIsKeptForApple() {
    var aps = APS()
    aps[.badge] = .integer(1)
    let payload = Payload(aps: aps, data: ["aps": .integer(1)])
    let problems = PayloadValidator.problems(
      payload: payload, payloadBytes: payload.encoded().count,
      headers: RequestHeaders(bundleID: "b", pushType: .alert, now: 0))
    #expect(problems.map(\.code) == ["reserved_aps_in_data"])
  }
}
