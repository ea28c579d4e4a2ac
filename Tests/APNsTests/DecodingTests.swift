import APNs
import JSON
import TestSupport
import Testing

@Suite struct DecodingTests {
  /// One member of `aps` and the typed value that it becomes.
  struct Row: Sendable, CustomTestStringConvertible {
    var json: String
    var set: @Sendable (inout APS) -> Void
    var testDescription: String { json }

    init(_ json: String, set: @escaping @Sendable (inout APS) -> Void) {
      self.json = json
      self.set = set
    }
  }

  static let members = [
    Row(#""alert":"x""#) { $0.alert = .text("x") },
    Row(#""alert":{}"#) { $0.alert = .object(Alert()) },
    Row(#""alert":7"#) { $0.rest["alert"] = .integer(7) },
    Row(#""badge":0"#) { $0[.badge] = .integer(0) },
    Row(#""badge":3.0"#) { $0[.badge] = .integer(3) },
    Row(#""badge":"3""#) { $0.rest["badge"] = .string("3") },
    Row(#""sound":"a.caf""#) { $0.sound = .named("a.caf") },
    Row(#""sound":{"critical":1,"name":"a","volume":0.5}"#) {
      $0.sound = .critical(CriticalSound(critical: 1, name: "a", volume: 0.5))
    },
    Row(#""sound":{"critical":true,"pitch":1}"#) {
      var sound = CriticalSound(critical: nil, name: nil)
      sound.rest = ["critical": .bool(true), "pitch": .integer(1)]
      $0.sound = .critical(sound)
    },
    Row(#""thread-id":"t""#) { $0[.threadID] = .text("t") },
    Row(#""category":"c""#) { $0[.category] = .text("c") },
    Row(#""content-available":1"#) { $0[.contentAvailable] = .integer(1) },
    Row(#""content-available":true"#) { $0.rest["content-available"] = .bool(true) },
    Row(#""mutable-content":1"#) { $0[.mutableContent] = .integer(1) },
    Row(#""target-content-id":"w""#) { $0[.targetContentID] = .text("w") },
    Row(#""interruption-level":"passive""#) { $0[.interruptionLevel] = .text("passive") },
    Row(#""interruption-level":"active""#) { $0[.interruptionLevel] = .text("active") },
    Row(#""interruption-level":"time-sensitive""#) {
      $0[.interruptionLevel] = .text("time-sensitive")
    },
    Row(#""interruption-level":"critical""#) { $0[.interruptionLevel] = .text("critical") },
    Row(#""interruption-level":"urgent""#) { $0.rest["interruption-level"] = .string("urgent") },
    Row(#""relevance-score":1"#) { $0[.relevanceScore] = .number(1) },
    Row(#""relevance-score":0.25"#) { $0[.relevanceScore] = .number(0.25) },
    Row(#""filter-criteria":"f""#) { $0[.filterCriteria] = .text("f") },
    Row(#""timestamp":1700000000"#) { $0[.timestamp] = .integer(1_700_000_000) },
    Row(#""event":"start""#) { $0[.event] = .text("start") },
    Row(#""event":"update""#) { $0[.event] = .text("update") },
    Row(#""event":"end""#) { $0[.event] = .text("end") },
    Row(#""event":"begin""#) { $0.rest["event"] = .string("begin") },
    Row(#""content-state":{"eta":4}"#) { $0[.contentState] = .object(["eta": .integer(4)]) },
    Row(#""stale-date":1"#) { $0[.staleDate] = .integer(1) },
    Row(#""dismissal-date":1"#) { $0[.dismissalDate] = .integer(1) },
    Row(#""attributes-type":"Ride""#) { $0[.attributesType] = .text("Ride") },
    Row(#""attributes":{}"#) { $0[.attributes] = .object([:]) },
    Row(#""input-push-channel":"c""#) { $0[.inputPushChannel] = .text("c") },
    Row(#""input-push-token":1"#) { $0[.inputPushToken] = .integer(1) },
    Row(#""content-changed":true"#) { $0[.contentChanged] = .truth(true) },
    Row(#""url-args":[]"#) { $0[.urlArgs] = .texts([]) },
    Row(#""custom":null"#) { $0.rest["custom"] = .null },
  ]

  /// One member of `alert` and the typed value that it becomes.
  static let alertMembers: [(String, @Sendable (inout Alert) -> Void)] = [
    (#""title":"t""#, { $0.title = "t" }),
    (#""subtitle":"s""#, { $0.subtitle = "s" }),
    (#""body":"b""#, { $0.body = "b" }),
    (#""launch-image":"l""#, { $0.launchImage = "l" }),
    (#""title-loc-key":"k""#, { $0.titleLocKey = "k" }),
    (#""title-loc-args":["a"]"#, { $0.titleLocArgs = ["a"] }),
    (#""subtitle-loc-key":"k""#, { $0.subtitleLocKey = "k" }),
    (#""subtitle-loc-args":[]"#, { $0.subtitleLocArgs = [] }),
    (#""loc-key":"k""#, { $0.locKey = "k" }),
    (#""loc-args":["a","b"]"#, { $0.locArgs = ["a", "b"] }),
    (#""loc-args":["a",1]"#, { $0.rest["loc-args"] = .array([.string("a"), .integer(1)]) }),
    (#""action":"a""#, { $0.action = "a" }),
    (#""action-loc-key":"k""#, { $0.actionLocKey = "k" }),
    (#""action-loc-key":null"#, { $0.rest["action-loc-key"] = .null }),
    (#""summary-arg":"s""#, { $0.summaryArg = "s" }),
    (#""summary-arg-count":2"#, { $0.summaryArgCount = 2 }),
    (
      #""title":{"loc-key":"k","loc-args":["a"]}"#,
      { $0.localizedTitle = ActivityText(locKey: "k", locArgs: ["a"]) }
    ),
    (#""body":{"loc-key":"k"}"#, { $0.localizedBody = ActivityText(locKey: "k") }),
    (
      #""body":{"loc-key":1}"#,
      { $0.localizedBody = ActivityText(["loc-key": .integer(1)]) }
    ),
    (#""sound":"s.aiff""#, { $0.sound = "s.aiff" }),
    (#""title":5"#, { $0.rest["title"] = .integer(5) }),
  ]

  @Test(arguments: members)
  func eachMemberOfApsIsKnown(row: Row) throws {
    var expected = APS()
    row.set(&expected)
    let payload = try #require(Payload(json: Array("{\"aps\":{\(row.json)}}".utf8)))
    #expect(payload == Payload(aps: expected))
  }

  @Test(arguments: 0..<alertMembers.count)
  func eachMemberOfAlertIsKnown(index: Int) throws {
    let (json, set) = Self.alertMembers[index]
    var alert = Alert()
    set(&alert)
    var expected = APS()
    expected.alert = .object(alert)
    let payload = try #require(Payload(json: Array("{\"aps\":{\"alert\":{\(json)}}}".utf8)))
    #expect(payload == Payload(aps: expected))
  }

  @Test func decodingLosesNothingOfAnyPayload() throws {
    var generator = SplitMix64(seed: 4)
    let apsKeys = Self.members.map { $0.json.firstString }
    let alertKeys = Self.alertMembers.map { $0.0.firstString }
    for _ in 0..<5000 {
      var aps = JSONValue.randomMembers(apsKeys, depth: 2, &generator)
      if aps["alert"] == nil {
        aps["alert"] = .object(JSONValue.randomMembers(alertKeys, depth: 2, &generator))
      }
      let value = JSONValue.object([
        "aps": .object(aps), "x": .random(alertKeys, depth: 2, &generator),
      ])
      var writer = JSONWriter()
      writer.value(value)
      let payload = try #require(Payload(json: writer.bytes))
      #expect(JSONValue(parsing: payload.encoded()) == value)
    }
  }
}

extension String {
  /// The first text between quotes.
  fileprivate var firstString: String { String(split(separator: "\"")[0]) }
}

extension JSONValue {
  /// A value of any type, of objects with some of the keys.
  fileprivate static func random(
    _ keys: [String], depth: Int, _ generator: inout SplitMix64
  ) -> JSONValue {
    switch Int.random(in: 0...(depth > 0 ? 9 : 6), using: &generator) {
    case 0: .null
    case 1: .bool(.random(using: &generator))
    case 2: .integer(.random(in: -2...2, using: &generator))
    case 3: .integer(.random(in: .min ... .max, using: &generator))
    case 4: .double(.random(in: 1...2, using: &generator))
    case 5: .string("")
    case 6: .string(["x/é 漢 😀", "start", "critical"].randomElement(using: &generator) ?? "")
    case 7: .array((0..<2).map { _ in random(keys, depth: depth - 1, &generator) })
    default: .object(randomMembers(keys, depth: depth - 1, &generator))
    }
  }

  fileprivate static func randomMembers(
    _ keys: [String], depth: Int, _ generator: inout SplitMix64
  ) -> JSONObject {
    var members: JSONObject = [:]
    for _ in 0..<Int.random(in: 0...6, using: &generator) {
      let key = keys.randomElement(using: &generator) ?? ""
      members[key] = random(keys, depth: depth, &generator)
    }
    return members
  }
}
