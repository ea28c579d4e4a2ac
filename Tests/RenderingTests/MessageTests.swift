import APNs
import DeviceProfile
import JSON
import Rendering
import Testing

@Suite struct MessageTests {
  @Test(
    arguments: [
      (#"{"alerts": 1}"#, ["/alerts unknown_field"]),
      (#"[]"#, [" wrong_type"]),
      (
        #"{"alert": 1, "badge": "5", "sound": 1}"#,
        ["/alert wrong_type", "/badge wrong_type", "/sound wrong_type"]
      ),
      (#"{"alert": {}}"#, ["/alert missing_field"]),
      (#"{"alert": {"body": {}}}"#, ["/alert/body missing_field"]),
      (#"{"alert": {"body": {"key": "K", "text": "x"}}}"#, ["/alert/body/text unknown_field"]),
      (
        #"{"alert": {"body": {"key": "K", "args": ["a", 1]}}}"#,
        ["/alert/body/args/1 wrong_type", "/alert/body/args/0 unknown_parameter"]
      ),
      (
        #"{"alert": {"body": {"key": "K", "catalog": "other"}}}"#,
        ["/alert/body/catalog unknown_value"]
      ),
      (
        #"{"alert": {"body": {"text": {"not a tag": "x", "fr": 1, "de": ""}}}}"#,
        [
          "/alert/body/text/de too_short", "/alert/body/text/fr wrong_type",
          "/alert/body/text/not a tag invalid_language",
        ]
      ),
      (#"{"alert": "Hello {who}"}"#, ["/alert unknown_placeholder"]),
      (
        #"{"badge": -1, "relevance_score": 1.5, "ttl": -1, "priority": 7}"#,
        [
          "/badge out_of_range", "/relevance_score out_of_range", "/ttl out_of_range",
          "/priority out_of_range",
        ]
      ),
      (#"{"interruption_level": "time-senstive"}"#, ["/interruption_level unknown_value"]),
      (#"{"push_type": "mdm"}"#, ["/push_type unsupported_push_type"]),
      (#"{"id": 1.5, "call": "c"}"#, ["/id wrong_type", "/call wrong_type"]),
      (#"{"id": "", "badge": 1}"#, ["/id too_short"]),
      // An id alone is that of nothing.
      (#"{"id": 1}"#, ["/alert missing_field"]),
      (#"{"withdraws": "{x}"}"#, ["/withdraws unknown_placeholder"]),
      (#"{"withdraws": true}"#, ["/withdraws wrong_type"]),
      (#"{"withdraws": "a", "badge": 1}"#, ["/withdraws background_not_silent"]),
      (#"{"withdraws": "a", "id": "b"}"#, ["/withdraws background_not_silent"]),
      (#"{"withdraws": 1, "data": {"withdraws": 2}}"#, ["/data/withdraws invalid_name"]),
      (#"{"message_type": ""}"#, ["/message_type too_short"]),
      (
        #"{"alert": {"text": {"fr": "{a b}"}}, "data": {"list": [1, {"u": "{n-1}"}]}}"#,
        ["/alert/text/fr unknown_placeholder", "/data/list/1/u unknown_placeholder"]
      ),
      (
        #"{"id": "{x}", "call": {"id": "{y}", "at": 1}}"#,
        ["/id unknown_placeholder", "/call/id unknown_placeholder", "/call/at unknown_field"]
      ),
      (#"{"call": {}}"#, ["/call/id missing_field"]),
      (
        #"{"id": 1, "call": {"id": "c"}, "data": {"id": 2, "call": 3, "trigger": 4}}"#,
        ["/data/id invalid_name", "/data/call invalid_name"]
      ),
      (
        #"{"trigger": {"type": "time_interval", "seconds": 1}, "data": {"trigger": 4}}"#,
        ["/data/trigger invalid_name", "/alert missing_field"]
      ),
      (#"{"push_type": "background", "alert": "x"}"#, ["/push_type background_not_silent"]),
      (
        #"{"data": {"aps": 1, "a/b~": "{x}"}}"#,
        ["/data/aps reserved_aps_in_data", "/data/a~1b~0 unknown_placeholder"]
      ),
      (
        #"{"sound": {"critical": 2, "volume": 3, "loud": true}}"#,
        ["/sound/critical wrong_type", "/sound/volume out_of_range", "/sound/loud unknown_field"]
      ),
      (
        #"{"parameters": {"a": {"type": "lists"}}, "thread_id": "{a}"}"#,
        ["/parameters/a/type unknown_value"]
      ),
      (
        #"{"parameters": {"a": {"type": "text"}, "b": {}, "1": {"type": "string"}}}"#,
        [
          "/parameters/1 invalid_name", "/parameters/a/type unknown_value",
          "/parameters/b/type missing_field",
        ]
      ),
      (
        #"{"parameters": {"n": {"type": "integer", "default": "1"}}}"#,
        ["/parameters/n/default wrong_type"]
      ),
    ] as [(String, [String])])
  func aMessageIsRefusedWithThePlaceAndKindOfEveryFault(text: String, expected: [String]) throws {
    let failure = #expect(throws: InputFailure.self) { try Message(parsing: text) }
    #expect(failure?.problems.map { "\($0.pointer) \($0.code)" } == expected)
  }

  private static let app = AppFacts(
    bundleID: "b", developmentLanguage: "en", messageTypeKey: "messageType")

  /// Messages that come under a name, and what is wrong with them for their app.
  @Test(
    arguments: [
      (#"{"alert": null}"#, ["/alert missing_field"]), ("{}", ["/alert missing_field"]),
      (#"{"category": "c", "thread_id": "t", "mutable_content": 1}"#, ["/alert missing_field"]),
      (#"{"push_type": "alert"}"#, ["/alert missing_field"]),
      (#"{"collapse_id": "c", "data": {}}"#, ["/alert missing_field"]),
      (#"{"alert": "x"}"#, []), (#"{"sound": "x"}"#, []), (#"{"badge": 0}"#, []),
      (#"{"data": {"a": null}}"#, []), (#"{"content_available": true}"#, []),
      (#"{"push_type": "background"}"#, []), (#"{"withdraws": "x"}"#, []),
      (#"{"call": {"id": "c"}}"#, []), (#"{"message_type": "t"}"#, []),
      (#"{"badge": 1, "ttl": 2592000}"#, []), (#"{"badge": 1, "ttl": 0}"#, []),
      (#"{"badge": 1, "ttl": 2592001}"#, ["/ttl out_of_range"]),
      (#"{"badge": 1, "ttl": 3600000}"#, ["/ttl out_of_range"]),
      (#"{"badge": 1, "data": {"messageType": "x"}}"#, ["/data/messageType invalid_name"]),
      (
        #"{"badge": 1, "data": {"payload": {}, "type": 1, "messageType": 2}}"#,
        ["/data/messageType invalid_name", "/data/payload invalid_name"]
      ),
    ] as [(String, [String])])
  func anAppHasRulesOfItsOwn(text: String, expected: [String]) throws {
    let message = try Message(parsing: text)
    let faults = message.faults(for: Self.app, isNamed: true, at: "")
    #expect(faults.map { "\($0.pointer) \($0.code)" } == expected)
  }

  /// An unnamed message may say its type by its data.
  @Test(
    arguments: [
      (#"{"badge": 1, "data": {"messageType": "x"}}"#, []),
      (
        #"{"badge": 1, "message_type": "t", "data": {"messageType": "x"}}"#,
        ["/message/data/messageType invalid_name"]
      ),
      (#"{"badge": 1, "data": {"payload": 1}}"#, ["/message/data/payload invalid_name"]),
    ] as [(String, [String])])
  func aMessageWithoutATypeMayHaveItInItsData(text: String, expected: [String]) throws {
    let message = try Message(parsing: text)
    let faults = message.faults(for: Self.app, isNamed: false, at: "/message")
    #expect(faults.map { "\($0.pointer) \($0.code)" } == expected)
  }

  @Test(arguments: [
    (86_400_000, "86400 would be the seconds"), (2_592_000_000, "2592000 would be the seconds"),
    (1_800_000_123, "a moment"), (1_800_000_000_000, "a moment in milliseconds"),
  ])
  func aTimeToLiveInAnotherUnitIsNamed(ttl: Int, named: String) throws {
    let failure = #expect(throws: InputFailure.self) {
      try Message(parsing: #"{"badge": 1, "ttl": \#(ttl)}"#)
    }
    #expect(failure?.problems.map(\.pointer) == ["/ttl"])
    #expect(failure?.problems.first?.detail.contains(named) == true)
  }

  @Test func nullIsTakenForNothing() throws {
    let message = try Message(parsing: #"{"alert": null, "badge": null}"#)
    #expect(message == Message())
  }

  /// Generated clients write null for each option that they do not use.
  @Test func aNullOfAnotherTypesOptionIsNothing() throws {
    let text = #"""
      {"parameters": {"n": {
        "type": "string", "from": null, "default": null, "currency": null, "of": null, "date": null,
        "minimum_fraction_digits": null, "maximum_fraction_digits": null, "skeleton": null,
        "style": null, "width": null, "kind": null, "time": null}}}
      """#
    #expect(
      try Message(parsing: text)
        == Message(parsing: #"{"parameters": {"n": {"type": "string"}}}"#))
    let failure = #expect(throws: InputFailure.self) {
      try Message(
        parsing: #"{"parameters": {"n": {"type": "string", "currency": "EUR", "unit": null}}}"#)
    }
    #expect(
      failure?.problems.map(\.pointer) == ["/parameters/n/currency", "/parameters/n/unit"])
  }

  @Test(
    arguments: [
      (#"{}"#, ["/when missing_argument"]),
      (
        #"{"when": 1, "n": "1", "x": 1}"#,
        ["/n wrong_type", "/when wrong_type", "/x unknown_argument"]
      ),
      (#"{"when": "x", "n": 1.5}"#, ["/n wrong_type"]),
      (#"[]"#, [" wrong_type"]),
    ] as [(String, [String])])
  func aMessageIsNotSentWithFaultyArguments(text: String, expected: [String]) throws {
    let message = try Message(
      parsing:
        #"{"parameters": {"when": {"type": "string"}, "n": {"type": "integer", "default": 2}}}"#)
    let failure = #expect(throws: InputFailure.self) {
      try Arguments(parsing: text, for: message)
    }
    #expect(failure?.problems.map { "\($0.pointer) \($0.code)" } == expected)
  }

  @Test(arguments: [
    ("order-{order}", "order-A17"), ("{order}{order}", "A17A17"), ("{{order}", "{order}"),
    ("{{{order}", "{A17"), (#"{"a": 1}"#, #"{"a": 1}"#), ("{", "{"), ("{}", "{}"), ("a}b", "a}b"),
    ("{1a}", "{1a}"), ("", ""), ("é{order}漢", "éA17漢"), ("{no", "{no"),
    ("{{order}}", "{order}"), ("{{{order}}}", "{A17}"), ("}}{order}}", "}A17}"), ("a}}", "a}"),
    // A brace before a combining character is a brace, though Swift sees one character.
    ("{{\u{200C}x", "{\u{200C}x"), ("}}\u{301}", "}\u{301}"), ("{order}\u{301}", "A17\u{301}"),
  ])
  func namesInBracesAreFilled(text: String, expected: String) {
    let filled = Template(text).filled { $0 == "order" ? "A17" : nil }
    #expect(Array(filled.unicodeScalars) == Array(expected.unicodeScalars))
  }

  /// What nobody is meant to read: `line:column` of each brace that opens no parameter.
  @Test(arguments: [
    ("{first name}", "1:1"), ("Hi {user.name}!", "1:4"), ("{n-1}", "1:1"), ("é漢 {имя}", "1:4"),
    ("{order-{order}", "1:1"), ("{order", "1:1"), ("{}", "1:1"), ("a {x} {y}", "1:3 1:7"),
    ("one\n two {", "2:6"), ("{{{x}", "1:3"), ("{\u{200C}order}", "1:1"),
    ("{order} {{order}} }", ""), ("{{\u{200C}order}", ""),
  ])
  func eachBraceThatOpensNoParameterIsToldWithItsPlace(text: String, places: String) throws {
    var problems: [InputProblem] = []
    do {
      let quoted = String(decoding: Self.quoted(text), as: UTF8.self)
      _ = try Message(
        parsing: #"{"alert": \#(quoted), "parameters": {"order": {"type": "string"}}}"#)
    } catch let failure as InputFailure {
      problems = failure.problems
    }
    let found = problems.compactMap(\.position).map { "\($0.line):\($0.column)" }
    #expect(found.joined(separator: " ") == places)
    #expect(problems.allSatisfy { $0.code == "unknown_placeholder" && $0.pointer == "/alert" })
  }

  private static func quoted(_ text: String) -> [UInt8] {
    var writer = JSONWriter()
    writer.value(.string(text))
    return writer.bytes
  }
}
