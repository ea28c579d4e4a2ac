import ASCII
import JSON
import Rendering
import Testing

/// What an app says of a type of its Live Activities, and what a message may ask for.
@Suite struct ActivityFormTests {
  private func type(_ text: String) throws -> ActivityType {
    let value = try #require(JSONValue(parsing: Array(text.utf8)))
    return try value.read { ActivityType(reading: $0) }.body
  }

  private static let update = """
    {"live_activity": {"event": "update", "type": "Ride", "content_state": {"eta": "{eta}"}},
     "parameters": {"eta": {"type": "date"}}}
    """

  /// The form, what the caller gives, and what stands in the state.
  @Test(arguments: [
    ("as_given", "1777750361", "1777750361"),
    ("as_given", #""2026-05-02T19:32:41Z""#, #""2026-05-02T19:32:41Z""#),
    ("unix", "1777750361", "1777750361"),
    ("iso8601", "1777750361", #""2026-05-02T19:32:41Z""#),
  ])
  func aDateStandsInTheFormOfTheType(dates: String, argument: String, value: String) throws {
    var scene = Scene(Self.update)
    scene.app.activityTypes["Ride"] = try type(#"{"dates": "\#(dates)"}"#)
    scene.arguments = #"{"eta": \#(argument)}"#
    let text = try scene.render().payloadText
    #expect(text.contains(#""content-state":{"eta":\#(value)}"#), "\(text)")
  }

  /// Data is not read by Swift's decoder of dates: it stays as apps know it.
  @Test func aDateInDataIsAText() throws {
    var scene = Scene(
      """
      {"alert": "x", "data": {"eta": "{eta}"}, "parameters": {"eta": {"type": "date"}}}
      """)
    scene.arguments = #"{"eta": 1777750361}"#
    #expect(try scene.render().payloadText.contains(#""eta":"1777750361""#))
  }

  /// A date as the caller gives it is a text or a number.
  @Test(
    arguments: [
      ("string", []), ("number", []), ("date", []), ("any", []),
      ("boolean", ["/live_activity/content_state/eta wrong_type"]),
    ] as [(String, [String])])
  func aDateAsGivenFitsWhateverItMayBe(field: String, faults: [String]) throws {
    var app = Scene("").app
    app.activityTypes["Ride"] = try type(
      #"{"dates": "as_given", "content_state": {"eta": "\#(field)"}}"#)
    let found = try Message(parsing: Self.update).faults(for: app, isNamed: true, at: "")
    #expect(found.map { "\($0.pointer) \($0.code)" } == faults)
  }

  @Test(
    arguments: [
      (#""input_push_token": true"#, []), (#""input_push_channel": "c""#, []),
      (
        #""input_push_token": true, "input_push_channel": "c""#,
        ["/live_activity/input_push_channel too_many"]
      ),
    ] as [(String, [String])])
  func anActivityIsUpdatedByATokenOrOnAChannel(members: String, faults: [String]) throws {
    let message = try Message(
      parsing: """
        {"live_activity": {"event": "start", "type": "Ride", "attributes": {},
          "content_state": {}, "alert": {"title": "Hi", "body": "Ann"}, \(members)}}
        """)
    let found = message.faults(for: Scene("").app, isNamed: true, at: "")
    #expect(found.map { "\($0.pointer) \($0.code)" } == faults)
  }
}
