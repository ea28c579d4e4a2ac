import APNs
import JSON
import Testing

/// Whatever stands in the table of members is read, written, checked, and seen by a device.
@Suite struct APSKeyTests {
  /// A value of each kind, and one that is of no kind but `any`.
  private func value(_ key: APSKey) -> (json: JSONValue, typed: APSValue) {
    switch key.rules.kind {
    case .alert: (.string("x"), .alert(.text("x")))
    case .sound: (.string("a.caf"), .sound(.named("a.caf")))
    case .text: (.string("x"), .text("x"))
    case .word(let words): (.string(words.last), .text(words.last))
    case .flag: (.integer(1), .integer(1))
    case .count, .time: (.integer(7), .integer(7))
    case .score: (.double(0.5), .number(0.5))
    case .truth: (.bool(true), .truth(true))
    case .object: (.object(["id": .string("s")]), .object(["id": .string("s")]))
    case .texts: (.array([.string("a")]), .texts(["a"]))
    }
  }

  private func text(_ aps: JSONObject) -> String {
    JSONValue.object(["aps": .object(aps)]).jsonText
  }

  @Test(arguments: APSKey.allCases)
  func aMemberIsReadWrittenAndSeen(key: APSKey) {
    let (json, typed) = value(key)
    let payload = Payload(["aps": .object([key.name: json])])
    #expect(payload.aps?[key] == typed)
    #expect(payload.aps?.rest.isEmpty == true)
    #expect(String(decoding: payload.encoded(), as: UTF8.self) == text([key.name: json]))
    #expect(payload.asSeenByDevice() == payload)
  }

  /// A value of a kind that no member has.
  @Test(arguments: APSKey.allCases)
  func anotherKindOfValueIsToldAndNotSeen(key: APSKey) {
    let odd = JSONValue.array([.null])
    let payload = Payload(["aps": .object([key.name: odd])])
    #expect(payload.aps?[key] == nil)
    #expect(payload.aps?.rest == [key.name: odd])
    #expect(String(decoding: payload.encoded(), as: UTF8.self) == text([key.name: odd]))
    let told = problems(payload, .liveactivity).filter {
      $0.pointer == "/payload/aps/\(key.name)"
    }
    #expect(told.count == 1 && told.allSatisfy { !$0.kind.isNotice })
    // A flag of notifications is 1 on a device whatever it is.
    let seen = payload.asSeenByDevice().aps
    #expect(seen == nil || seen?[key] == .integer(1))
  }

  /// A value that is right in one kind of push is told in all others that are checked.
  @Test(arguments: APSKey.allCases)
  func aMemberIsRightSomewhereAndToldElsewhere(key: APSKey) {
    func isTold(_ pushType: PushType, _ event: ActivityEvent?) -> Bool {
      var members: JSONObject = [key.name: value(key).json]
      if let event { members["event"] = .string(event.rawValue) }
      return problems(Payload(["aps": .object(members)]), pushType)
        .contains {
          $0.pointer == "/payload/aps/\(key.name)" && $0.detail.contains(key.name)
        }
    }
    let told = [isTold(.alert, nil)] + ActivityEvent.allCases.map { isTold(.liveactivity, $0) }
    switch key {
    case .contentChanged, .urlArgs: #expect(told == [true, true, true, true])
    case .mutableContent: #expect(told == [false, false, false, false])
    case .badge, .sound: #expect(told == [false, true, true, true])
    case .attributes, .attributesType, .inputPushChannel, .inputPushToken:
      #expect(told == [true, false, true, true])
    case .dismissalDate: #expect(told == [true, true, true, false])
    case .contentState, .event, .staleDate, .timestamp:
      #expect(told == [true, false, false, false])
    default: #expect(told == [false, false, false, false])
    }
  }

  private func problems(_ payload: Payload, _ pushType: PushType) -> [PayloadProblem] {
    PayloadValidator.problems(
      payload: payload, payloadBytes: 1,
      headers: RequestHeaders(bundleID: "b", pushType: pushType, now: 0))
  }

  @Test func membersAreWrittenInTheOrderOfTheirNames() {
    var aps = APS()
    for key in APSKey.allCases { aps[key] = value(key).typed }
    let members = APSKey.allCases.map { (key: $0.name, value: value($0).json) }
    let expected = text(JSONObject(members))
    #expect(String(decoding: Payload(aps: aps).encoded(), as: UTF8.self) == expected)
    for key in APSKey.allCases { aps[key] = nil }
    #expect(aps == APS())
  }
}

extension APSWord {
  fileprivate static var last: String { allCases.map(\.rawValue).last ?? "" }
}
