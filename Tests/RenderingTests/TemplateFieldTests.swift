import APNs
import JSON
import Rendering
import Testing

/// The values of parameters in fields that are no texts to read.
@Suite struct TemplateFieldTests {
  private static let parameters = """
    "parameters": {"n": {"type": "integer"}, "s": {"type": "string"}, "d": {"type": "decimal"},
      "p": {"type": "percent"}, "l": {"type": "list"}, "t": {"type": "date"},
      "u": {"type": "duration"}}
    """

  /// Members of a message with `n` 7, `s` `a"b`, `d` 5, `p` 0.25, `l` two texts, `t` a moment and
  /// `u` 65, and the payload.
  @Test(arguments: [
    (#""badge": "{n}""#, #"{"aps":{"badge":7}}"#),
    (#""badge": 1, "category": "{s}-{n}""#, #"{"aps":{"badge":1,"category":"a\"b-7"}}"#),
    (#""sound": "{n}.caf""#, #"{"aps":{"sound":"7.caf"}}"#),
    (#""sound": "{{n}}""#, #"{"aps":{"sound":"{n}"}}"#),
    (
      #""sound": {"name": "{n}.caf", "volume": 0.5, "critical": true}"#,
      #"{"aps":{"sound":{"critical":1,"name":"7.caf","volume":0.5}}}"#
    ),
    (#""badge": 0, "data": {"v": "{n}"}"#, #"{"aps":{"badge":0},"v":7}"#),
    (#""badge": 0, "data": {"v": "{s}"}"#, #"{"aps":{"badge":0},"v":"a\"b"}"#),
    (#""badge": 0, "data": {"v": "{d}"}"#, #"{"aps":{"badge":0},"v":5}"#),
    (#""badge": 0, "data": {"v": "{p}"}"#, #"{"aps":{"badge":0},"v":0.25}"#),
    (#""badge": 0, "data": {"v": "{u}"}"#, #"{"aps":{"badge":0},"v":65}"#),
    (#""badge": 0, "data": {"v": "{l}"}"#, #"{"aps":{"badge":0},"v":["x","y"]}"#),
    (#""badge": 0, "data": {"v": ["{t}"]}"#, #"{"aps":{"badge":0},"v":["2022-05-02T19:32:41Z"]}"#),
    (#""badge": 0, "data": {"v": "{n}{n}"}"#, #"{"aps":{"badge":0},"v":"77"}"#),
    (#""badge": 0, "data": {"v": " {n}"}"#, #"{"aps":{"badge":0},"v":" 7"}"#),
    (#""badge": 0, "data": {"v": "{{n}}"}"#, #"{"aps":{"badge":0},"v":"{n}"}"#),
    // Identifiers are texts, whatever they are made of.
    (#""badge": 0, "thread_id": "{n}""#, #"{"aps":{"badge":0,"thread-id":"7"}}"#),
  ])
  func valuesArePutIn(members: String, payload: String) throws {
    var scene = Scene("{\(members), \(Self.parameters)}")
    scene.arguments = """
      {"n": 7, "s": "a\\"b", "d": 5, "p": 0.25, "l": ["x", "y"], "t": "2022-05-02T19:32:41Z",
       "u": 65}
      """
    #expect(try scene.render().payloadText == payload)
  }

  @Test func whatComesOutEmptyIsLeftOut() throws {
    var scene = Scene(
      """
      {"alert": {"body": "x", "launch_image": "{e}", "action_key": "{e}"}, "sound": "{e}",
       "category": "{e}", "filter_criteria": "{e}", "message_type": "{e}",
       "parameters": {"e": {"type": "string", "default": ""}}}
      """)
    scene.name = "stored"
    scene.app.messageTypeKey = "type"
    #expect(try scene.render().payloadText == #"{"aps":{"alert":{"body":"x"}},"type":"stored"}"#)
  }

  /// The id of a notification stays a text, as the app compares it with an earlier one.
  @Test func anIdOfOneParameterStaysAText() throws {
    var scene = Scene(
      #"{"alert": "x", "id": "{n}", "parameters": {"n": {"type": "integer", "default": 7}}}"#)
    scene.options.localization = .local
    #expect(try scene.render().payloadText.contains(#""id":"7""#))
  }

  @Test(
    arguments: [
      (#""badge": "5""#, ["/badge wrong_type"]), (#""badge": "{n}{n}""#, ["/badge wrong_type"]),
      (#""badge": "no. {n}""#, ["/badge wrong_type"]),
      (#""badge": "{{n}}""#, ["/badge wrong_type"]),
      (#""badge": "{s}""#, ["/badge wrong_type"]), (#""badge": "{d}""#, ["/badge wrong_type"]),
      (#""badge": "{x}""#, ["/badge unknown_placeholder"]),
      (#""badge": true"#, ["/badge wrong_type"]), (#""badge": -1"#, ["/badge out_of_range"]),
      (#""category": "{x}""#, ["/category unknown_placeholder"]),
      (#""sound": "{x}""#, ["/sound unknown_placeholder"]),
      (#""sound": """#, ["/sound out_of_range"]),
      (#""sound": {"name": "{x}"}"#, ["/sound/name unknown_placeholder"]),
      (#""filter_criteria": "{x}""#, ["/filter_criteria unknown_placeholder"]),
      (#""message_type": "{x}""#, ["/message_type unknown_placeholder"]),
      (
        #""alert": {"body": "x", "launch_image": "{x}", "action_key": "{"}"#,
        ["/alert/launch_image unknown_placeholder", "/alert/action_key unknown_placeholder"]
      ),
    ] as [(String, [String])])
  func aFieldThatNamesNoParameterIsRefused(members: String, expected: [String]) throws {
    let failure = #expect(throws: InputFailure.self) {
      try Message(parsing: "{\(members), \(Self.parameters)}")
    }
    #expect(failure?.problems.map { "\($0.pointer) \($0.code)" } == expected)
  }

  @Test func aDefaultThatNoDeviceCanShowAsABadgeIsRefused() throws {
    let failure = #expect(throws: InputFailure.self) {
      try Message(
        parsing: #"{"badge": "{n}", "parameters": {"n": {"type": "integer", "default": -1}}}"#)
    }
    #expect(
      failure?.problems.map { "\($0.pointer) \($0.code)" }
        == ["/parameters/n/default out_of_range"])
  }
}
