import Foundation
import PostilionClient
import Testing

@Suite struct RemotePayloadTests {
  /// One member of `aps` and what becomes of it.
  struct Member: Sendable, CustomTestStringConvertible {
    var json: String
    var set: @Sendable (inout RemotePayload.APS) -> Void
    var testDescription: String { json }

    init(_ json: String, set: @escaping @Sendable (inout RemotePayload.APS) -> Void) {
      self.json = json
      self.set = set
    }
  }

  static let members = [
    Member(#""alert":"x""#) { $0.alert = .init("x") },
    Member(#""alert":"""#) { $0.alert = .init("") },
    Member(#""alert":{}"#) { $0.alert = .init() },
    Member(#""alert":7"#) { $0.rest["alert"] = 7 },
    Member(#""alert":null"#) { $0.rest["alert"] = .null },
    Member(#""badge":0"#) { $0.badge = 0 },
    Member(#""badge":5"#) { $0.badge = 5 },
    Member(#""badge":5.5"#) { $0.rest["badge"] = 5.5 },
    Member(#""badge":"5""#) { $0.rest["badge"] = "5" },
    Member(#""badge":true"#) { $0.rest["badge"] = true },
    Member(#""badge":123456789012345678901"#) {
      $0.rest["badge"] = Decimal(string: "123456789012345678901").map(PayloadValue.longInteger)
    },
    Member(#""sound":"default""#) { $0.sound = .named("default") },
    Member(#""sound":{"critical":1,"name":"a.caf","volume":0.5}"#) {
      $0.sound = .critical(.init(critical: 1, name: "a.caf", volume: 0.5))
    },
    Member(#""sound":{"critical":true,"volume":1}"#) {
      var sound = RemotePayload.CriticalSound(critical: nil, name: nil, volume: 1)
      sound.rest = ["critical": true]
      $0.sound = .critical(sound)
    },
    Member(#""sound":3"#) { $0.rest["sound"] = 3 },
    Member(#""thread-id":"t""#) { $0.threadID = "t" },
    Member(#""category":"c""#) { $0.category = "c" },
    Member(#""content-available":1"#) { $0.contentAvailable = 1 },
    Member(#""content-available":true"#) { $0.rest["content-available"] = true },
    Member(#""mutable-content":1"#) { $0.mutableContent = 1 },
    Member(#""target-content-id":"w""#) { $0.targetContentID = "w" },
    Member(#""interruption-level":"time-sensitive""#) { $0.interruptionLevel = .timeSensitive },
    Member(#""interruption-level":"time-senstive""#) {
      $0.rest["interruption-level"] = "time-senstive"
    },
    Member(#""relevance-score":0.25"#) { $0.relevanceScore = 0.25 },
    Member(#""relevance-score":1"#) { $0.relevanceScore = 1 },
    Member(#""filter-criteria":"f""#) { $0.filterCriteria = "f" },
    Member(#""event":"update","content-state":{"a":1},"timestamp":1"#) {
      $0.rest = ["event": "update", "content-state": ["a": 1], "timestamp": 1]
    },
    Member(#""url-args":["a"]"#) { $0.rest["url-args"] = ["a"] },
    Member(#""unknown":[null]"#) { $0.rest["unknown"] = [nil] },
  ]

  @Test(arguments: members) func membersOfApsAreTyped(member: Member) throws {
    let json = Data(#"{"aps":{\#(member.json)},"a":1}"#.utf8)
    var expected = RemotePayload.APS()
    member.set(&expected)
    let payload = try #require(RemotePayload(json: json))
    #expect(payload == RemotePayload(aps: expected, data: ["a": 1]))
    #expect(PayloadValue(json: payload.encoded()) == PayloadValue(json: json))
    #expect(RemotePayload(json: payload.encoded()) == payload)
  }

  typealias Text = any WritableKeyPath<RemotePayload.Alert, String?> & Sendable

  static let alertMembers: [(json: String, path: Text)] = [
    ("title", \.title), ("subtitle", \.subtitle), ("body", \.body),
    ("title-loc-key", \.titleLocKey), ("subtitle-loc-key", \.subtitleLocKey),
    ("loc-key", \.locKey), ("launch-image", \.launchImage), ("action-loc-key", \.actionLocKey),
    ("action", \.action), ("summary-arg", \.summaryArg),
  ]

  @Test(arguments: alertMembers.indices) func textsOfAnAlertAreTyped(index: Int) throws {
    let (name, path) = Self.alertMembers[index]
    var expected = RemotePayload.Alert()
    expected[keyPath: path] = "x"
    for (value, alert) in [
      (#""x""#, expected), ("7", RemotePayload.Alert([name: 7])),
      ("null", RemotePayload.Alert([name: nil])),
    ] {
      let json = Data(#"{"aps":{"alert":{"\#(name)":\#(value)}}}"#.utf8)
      let payload = try #require(RemotePayload(json: json))
      #expect(payload.aps?.alert == alert)
      #expect(PayloadValue(json: payload.encoded()) == PayloadValue(json: json))
    }
    #expect(RemotePayload.Alert([name: 7]).rest == [name: 7])
  }

  @Test func otherMembersOfAnAlertAreTyped() {
    let alert = RemotePayload.Alert([
      "loc-args": ["a", "b"], "title-loc-args": [], "subtitle-loc-args": ["a", 1],
      "summary-arg-count": 2, "colour": "red",
    ])
    #expect(alert.locArgs == ["a", "b"])
    #expect(alert.titleLocArgs == [])
    #expect(alert.subtitleLocArgs == nil)
    #expect(alert.summaryArgCount == 2)
    #expect(alert.rest == ["subtitle-loc-args": ["a", 1], "colour": "red"])
    #expect(!alert.isText)
  }

  @Test func anAlertThatWasATextIsWrittenAsOneUntilItHasMore() {
    var payload = RemotePayload(["aps": ["alert": "hello"]])
    #expect(payload.aps?.alert?.body == "hello")
    #expect(payload.object == ["aps": ["alert": "hello"]])
    payload.aps?.alert?.title = "Greeting"
    #expect(payload.object == ["aps": ["alert": ["body": "hello", "title": "Greeting"]]])
  }

  @Test func anApsThatIsNoObjectStays() throws {
    for json in [#"{"aps":7,"a":1}"#, #"{"aps":null}"#, #"{"aps":[]}"#, "{}", #"{"aps":{}}"#] {
      let payload = try #require(RemotePayload(json: Data(json.utf8)))
      #expect(String(decoding: payload.encoded(), as: UTF8.self).count == json.count)
      #expect(PayloadValue(json: payload.encoded()) == PayloadValue(json: Data(json.utf8)))
    }
    for json in ["[]", "7", "", #""aps""#, "{]"] {
      #expect(RemotePayload(json: Data(json.utf8)) == nil)
    }
  }

  @Test func userInfoAndJSONReadTheSame() throws {
    let json = Data(
      #"""
      {"aps":{"alert":{"body":"b","loc-args":["1"]},"badge":1,"content-available":1},
       "ok":true,"n":1}
      """#.utf8)
    let object = try JSONSerialization.jsonObject(with: json)
    let userInfo = try #require(object as? [AnyHashable: Any])
    let payload = RemotePayload(userInfo: userInfo)
    #expect(payload == RemotePayload(json: json))
    #expect(payload.data == ["ok": true, "n": 1])
    #expect(RemotePayload(userInfo: [7: 1, "a": NSObject(), "b": 2]).data == ["b": 2])
  }

  @Test func theEnvelopeIsRead() throws {
    let silent = try #require(
      RemotePayload(
        json: Data(
          #"""
          {"aps":{"content-available":1},"messageType":"mail",
           "payload":{"aps":{"alert":"x"},"id":7,"messageType":"mail",
            "trigger":{"type":"time_interval","seconds":60,"repeats":false}}}
          """#.utf8)))
    #expect(silent.messageType() == "mail")
    #expect(silent.messageType(key: "type") == nil)
    #expect(silent.wakesApp)
    #expect(!silent.isMutable)
    #expect(silent.local(key: "other") == nil)
    let local = try #require(silent.local())
    #expect(local.aps?.alert?.body == "x")
    #expect(local.id == "7")
    #expect(local.trigger == .timeInterval(seconds: 60, repeats: false))
    #expect(local.withdraws == nil)
    #expect(RemotePayload(["withdraws": "mail-7"]).withdraws == "mail-7")
    #expect(RemotePayload(["withdraws": 7]).withdraws == "7")
    #expect(RemotePayload(["payload": [1]]).local() == nil)
  }

  @Test(arguments: [
    (#"{"id":"7F","time":1700000000}"#, "7F", 1_700_000_000),
    (#"{"id":7}"#, "7", nil), (#"{"id":"a","time":"soon"}"#, "a", nil),
    (#"{"id":"a","time":1.5}"#, "a", 1.5), (#"{"time":1}"#, nil, nil), (#"{"id":""}"#, nil, nil),
    ("7", nil, nil), ("null", nil, nil),
  ])
  func callsAreRead(json: String, id: String?, time: Double?) {
    let call = RemotePayload(json: Data(#"{"call":\#(json)}"#.utf8))?.call
    #expect(call?.id == id)
    #expect(call?.time?.timeIntervalSince1970 == time)
  }

  @Test(arguments: [
    ("1", true), ("2", true), ("0", false), ("-1", false), ("true", true), ("false", false),
    (#""no""#, true), ("null", false), ("0.5", true),
  ])
  func switchesAreReadAsADeviceReadsThem(json: String, isOn: Bool) {
    let text = #"{"aps":{"content-available":\#(json),"mutable-content":\#(json)}}"#
    let payload = RemotePayload(json: Data(text.utf8))
    #expect(payload?.wakesApp == isOn)
    #expect(payload?.isMutable == isOn)
    #expect(RemotePayload().wakesApp == false)
  }

  struct Order: Decodable, Equatable { var order: Int, name: String }

  @Test func theAppReadsItsOwnMembers() throws {
    let payload = RemotePayload([
      "aps": [:], "order": 7, "name": "Zoé", "inner": ["order": 8, "name": ""],
    ])
    #expect(try payload.decode(Order.self) == Order(order: 7, name: "Zoé"))
    #expect(try payload.decode(Order.self, from: "inner") == Order(order: 8, name: ""))
    #expect(try payload.decode(Int.self, from: "order") == 7)
    #expect(throws: DecodingError.self) { try payload.decode(Order.self, from: "missing") }
    #expect(throws: DecodingError.self) { try payload.decode([Int].self) }
  }
}
