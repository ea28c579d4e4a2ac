import Rendering
import Testing

/// Payloads that well-known articles and libraries for apps show, and the message for each of them.
@Suite struct KnownPayloadTests {
  struct Row: Sendable, CustomTestStringConvertible {
    var message: String
    var arguments = "{}"
    var name: String?
    var localization = LocalizationRequest.auto
    var isVoIP = false
    var payload: String
    var codes: [String] = []
    var testDescription: String { payload }
  }

  static let rows = [
    Row(
      message: #"{"alert": "hello world", "id": 1}"#, localization: .local,
      payload: #"{"aps":{"content-available":1},"payload":{"aps":{"alert":"hello world"},"id":1}}"#,
      codes: ["local_not_declared"]),
    Row(
      message: #"{"alert": "hello world", "id": 1}"#, isVoIP: true,
      payload: #"{"aps":{"alert":"hello world"},"id":1}"#, codes: ["voip_without_call_id"]),
    Row(
      message: """
        {"alert": "Breaking News!", "sound": "default", "data": {"link_url": "https://example.com"}}
        """,
      payload: #"{"aps":{"alert":"Breaking News!","sound":"default"},"#
        + #""link_url":"https://example.com"}"#),
    Row(
      message: #"{"alert": {"text": {"en": "hello world", "fr": "salut"}}, "data": {"id": 1}}"#,
      payload: #"{"aps":{"alert":"salut"},"id":1}"#),
    Row(
      message: #"{"alert": {"body": "hello world"}}"#,
      payload: #"{"aps":{"alert":{"body":"hello world"}}}"#),
    Row(
      message: """
        {"alert": {"title": {"text": {"en": "Save The Princess!"}}},
         "data": {"coords": {"latitude": 37.33182, "longitude": -122.03118}}}
        """,
      payload: #"{"aps":{"alert":{"title":"Save The Princess!"}},"#
        + #""coords":{"latitude":37.33182,"longitude":-122.03118}}"#),
    Row(
      message: """
        {"alert": {"title": {"key": "FOOD_ORDERED"},
                   "body": {"key": "FOOD_PICKUP_TIME", "args": ["when"]}},
         "parameters": {"when": {"type": "string"}}, "literal_fallback": false}
        """,
      arguments: #"{"when": "2022-05-02T19:32:41Z"}"#, localization: .client,
      payload: #"{"aps":{"alert":{"loc-args":["2022-05-02T19:32:41Z"],"#
        + #""loc-key":"FOOD_PICKUP_TIME","title-loc-key":"FOOD_ORDERED"}}}"#),
    Row(message: #"{"content_available": true}"#, payload: #"{"aps":{"content-available":1}}"#),
    Row(
      message: """
        {"alert": {"title": "Greeting", "body": "Hello, friend", "action_key": "PLAY"}, "badge": 5,
         "data": {"message": "Hello, friend", "title": "Greeting"}}
        """,
      name: "greeting",
      payload: #"{"aps":{"alert":{"action-loc-key":"PLAY","body":"Hello, friend","#
        + #""title":"Greeting"},"badge":5},"message":"Hello, friend","messageType":"greeting","#
        + #""title":"Greeting"}"#),
    Row(
      message: """
        {"alert": {"title": "Greeting", "body": "Hello, friend", "action_key": "PLAY"}, "badge": 5,
         "data": {"type": "greeting", "message": "Hello, friend", "title": "Greeting"}}
        """,
      payload: #"{"aps":{"alert":{"action-loc-key":"PLAY","body":"Hello, friend","#
        + #""title":"Greeting"},"badge":5},"message":"Hello, friend","title":"Greeting","#
        + #""type":"greeting"}"#),
    Row(
      message: """
        {"alert": {"title": "16:8 Eats", "subtitle": "My Notification",
                   "body": "Notification Body"}, "sound": "default", "id": "E0C5",
         "data": {"imageName": "abc.jpg"}, "trigger": {"type": "time_interval", "seconds": 300}}
        """,
      payload: #"{"aps":{"content-available":1},"payload":{"aps":{"alert":{"#
        + #""body":"Notification Body","subtitle":"My Notification","title":"16:8 Eats"},"#
        + #""sound":"default"},"id":"E0C5","imageName":"abc.jpg","#
        + #""trigger":{"repeats":false,"seconds":300,"type":"time_interval"}}}"#,
      codes: ["local_not_declared"]),
    Row(
      message: """
        {"alert": {"title": "T", "subtitle": "S", "body": "B", "launch_image": "L"}, "badge": 0,
         "sound": {"critical": true, "name": "siren.caf", "volume": 0.5}, "category": "ORDER",
         "thread_id": "orders", "target_content_id": "w", "interruption_level": "time-sensitive",
         "relevance_score": 0.5, "filter_criteria": "work", "mutable_content": true}
        """,
      payload: #"{"aps":{"alert":{"body":"B","launch-image":"L","subtitle":"S","title":"T"},"#
        + #""badge":0,"category":"ORDER","filter-criteria":"work","#
        + #""interruption-level":"time-sensitive","mutable-content":1,"relevance-score":0.5,"#
        + #""sound":{"critical":1,"name":"siren.caf","volume":0.5},"target-content-id":"w","#
        + #""thread-id":"orders"}}"#),
  ]

  @Test(arguments: rows)
  func wellKnownPayloadsComeOutByteForByte(row: Row) throws {
    var scene = Scene(row.message)
    scene.arguments = row.arguments
    scene.name = row.name
    scene.app.messageTypeKey = "messageType"
    scene.options = RenderOptions(localization: row.localization, isVoIP: row.isVoIP)
    let request = try scene.render()
    #expect(request.payloadText == row.payload)
    #expect(request.codes == row.codes)
  }
}
