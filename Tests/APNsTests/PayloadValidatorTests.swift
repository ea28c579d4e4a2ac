import APNs
import JSON
import Testing

@Suite("Apple's rules")
struct PayloadValidatorTests {
  struct Row: Sendable, CustomTestStringConvertible {
    var json: String
    var pushType = PushType.alert
    var collapseID: String?
    var codes: [String] = []
    var testDescription: String { "\(pushType) \(json.prefix(90))" }
  }

  static let rows = [
    Row(json: #"{"aps":{"alert":"x"}}"#),
    Row(json: #"{"aps":{"badge":0}}"#),
    Row(json: #"{"aps":{"sound":"default"},"a":1}"#),
    Row(json: #"{"aps":{}}"#, codes: ["nothing_to_show"]),
    Row(json: #"{"aps":{"alert":{}}}"#, codes: ["nothing_to_show"]),
    Row(json: #"{"aps":{"alert":""}}"#, codes: ["nothing_to_show"]),
    Row(json: #"{"aps":{"alert":{"loc-key":"K"},"content-available":1,"mutable-content":1}}"#),
    Row(
      json: #"{"aps":{"badge":1,"mutable-content":1}}"#, codes: ["mutable_content_without_alert"]),
    Row(json: #"{"aps":{"content-available":1},"x":1}"#, pushType: .background),
    Row(
      json: #"{"aps":{"alert":"x","badge":1,"sound":"s"}}"#, pushType: .background,
      codes: [
        "background_with_alert", "background_with_badge", "background_with_sound",
        "background_without_content_available",
      ]),
    Row(json: #"{"aps":{"badge":-1}}"#, codes: ["badge_negative"]),
    Row(
      json: #"{"aps":{"alert":"x","relevance-score":1.5}}"#, codes: ["relevance_score_out_of_range"]
    ),
    Row(
      json: #"{"aps":{"alert":"x","interruption-level":"time-senstive"}}"#,
      codes: ["interruption_level_unknown"]),
    Row(json: #"{"aps":{"alert":"x","custom":1}}"#, codes: ["aps_member_ignored"]),
    Row(
      json: #"{"aps":{"alert":{"title-loc-args":["a"],"loc-args":["b"],"body":"x"}}}"#,
      codes: ["loc_args_without_key", "loc_args_without_key"]),
    Row(
      json: #"{"aps":{"alert":{"loc-key":"K","loc-args":[1]}}}"#, codes: ["loc_args_not_strings"]),
    Row(json: #"{"aps":{"sound":{"critical":1,"name":"a.caf","volume":1}}}"#),
    Row(json: #"{"aps":{"sound":{"critical":2,"name":"a"}}}"#, codes: ["critical_sound_shape"]),
    Row(json: #"{"aps":{"sound":{"critical":1}}}"#, codes: ["critical_sound_shape"]),
    Row(
      json: #"{"aps":{"sound":{"critical":1,"name":"a","volume":2}}}"#,
      codes: ["critical_sound_shape"]),
    Row(json: #"{"aps":{"alert":"x"}}"#, collapseID: String(repeating: "a", count: 64)),
    Row(
      json: #"{"aps":{"alert":"x"}}"#, collapseID: String(repeating: "é", count: 33),
      codes: ["collapse_id_too_long"]),
  ]

  @Test("find the faults of a notification", arguments: rows)
  func problems(row: Row) throws {
    let payload = try #require(Payload(json: Array(row.json.utf8)))
    let headers = RequestHeaders(
      bundleID: "b", pushType: row.pushType, now: 0, collapseID: row.collapseID)
    let problems = PayloadValidator.problems(
      payload: payload, payloadBytes: payload.encoded().count, headers: headers)
    #expect(problems.map(\.code) == row.codes)
  }

  @Test("allow exactly 4096 bytes", arguments: [(4096, 0), (4097, 1)])
  func size(bytes: Int, count: Int) {
    var aps = APS()
    let frame = #"{"aps":{"alert":""}}"#.utf8.count
    aps.alert = .text(String(repeating: "é", count: (bytes - frame) / 2))
    var payload = Payload(aps: aps)
    if payload.encoded().count < bytes {
      aps.alert = .text("x" + String(repeating: "é", count: (bytes - frame) / 2))
      payload = Payload(aps: aps)
    }
    #expect(payload.encoded().count == bytes)
    let problems = PayloadValidator.problems(
      payload: payload, payloadBytes: bytes,
      headers: RequestHeaders(bundleID: "b", pushType: .alert, now: 0))
    #expect(problems.map(\.code) == Array(repeating: "payload_too_large", count: count))
  }

  @Test("keep `aps` for Apple")
  func reserved() {
    var aps = APS()
    aps.badge = 1
    let payload = Payload(aps: aps, data: ["aps": .integer(1)])
    let problems = PayloadValidator.problems(
      payload: payload, payloadBytes: payload.encoded().count,
      headers: RequestHeaders(bundleID: "b", pushType: .alert, now: 0))
    #expect(problems.map(\.code) == ["reserved_aps_in_data"])
  }
}
