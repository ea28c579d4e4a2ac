import Foundation
import PostilionCalls
import PostilionClient
import Testing

/// Payloads as many services have sent them for years, from tutorials and libraries.
@Suite struct SamplePayloadTests {
  private func payload(_ json: String) throws -> RemotePayload {
    try #require(RemotePayload(json: Data(json.utf8)))
  }

  @Test func aTextWithASoundAndAnAddressBesideIt() throws {
    let payload = try payload(
      #"{"aps":{"alert":"Breaking News!","sound":"default"},"link_url":"https://example.com"}"#)
    #expect(payload.aps?.alert?.body == "Breaking News!")
    #expect(payload.aps?.sound == .named("default"))
    #expect(payload.data == ["link_url": "https://example.com"])
  }

  @Test func placesAsDataOfTheApp() throws {
    let payload = try payload(
      #"""
      {"aps": {"alert": {"title": "Save The Princess!"}},
       "coords": {"latitude": 37.33182, "longitude": -122.03118}}
      """#)
    #expect(payload.aps?.alert?.title == "Save The Princess!")
    #expect(payload.data["coords"]?["longitude"]?.double == -122.03118)
  }

  @Test func textsByKey() throws {
    let payload = try payload(
      #"""
      {"aps": {"alert": {"title-loc-key": "FOOD_ORDERED", "loc-key": "FOOD_PICKUP_TIME",
        "loc-args": ["2022-05-02T19:32:41Z"]}}}
      """#)
    let strings = NotificationStrings {
      ["FOOD_ORDERED": "Ordered", "FOOD_PICKUP_TIME": "Pick it up at %@."][$0]
    }
    let texts = strings.texts(of: try #require(payload.aps?.alert))
    #expect(texts.title == "Ordered")
    #expect(texts.body == "Pick it up at 2022-05-02T19:32:41Z.")
  }

  @Test func nothingButAWakeUp() throws {
    let payload = try payload(#"{"aps": {"content-available": 1}}"#)
    #expect(payload.wakesApp)
    #expect(payload.data.isEmpty)
    #expect(NotificationChange(carriedBy: payload) == nil)
    #expect(NotificationChange(payload) == nil)
  }

  @Test func aLocalNotificationInsideOfASilentOne() throws {
    let silent = try payload(
      #"""
      {"aps": {"content-available": 1},
       "payload": {"aps": {"alert": "hello world"}, "id": 1}}
      """#)
    guard case .show(let notification)? = NotificationChange(carriedBy: silent) else {
      Issue.record("nothing to show")
      return
    }
    #expect(notification.identifier == "1")
    #expect(notification.content.body == "hello world")
    #expect(notification.content.title == "")
    #expect(notification.trigger == nil)
  }

  @Test func theSameForPushKit() throws {
    let voip = try payload(#"{"aps": {"alert": "hello world"}, "id": 1}"#)
    guard case .show(let notification)? = NotificationChange(voip) else {
      Issue.record("nothing to show")
      return
    }
    #expect(notification.identifier == "1")
    #expect(notification.content.body == "hello world")
    let call = IncomingCall(voip)
    #expect(call.callerName == "hello world")
    #expect(call.id == "1")
  }

  @Test(arguments: ["messageType", "type"]) func aGreetingIsRouted(key: String) async throws {
    let greeting = try payload(
      #"""
      {"aps": {"alert": {"title": "Greeting", "body": "Hello, friend",
        "action-loc-key": "PLAY"}, "badge": 5},
       "\#(key)": "greeting", "message": "Hello, friend", "title": "Greeting"}
      """#)
    #expect(greeting.aps?.alert?.actionLocKey == "PLAY")
    #expect(greeting.aps?.badge == 5)
    let byKey = MessageRouter(messageTypeKey: key)
    let byClosure = MessageRouter { $0.data[key]?.string }
    for router in [byKey, byClosure] {
      router.register("greeting") { payload in
        payload.data["message"] == "Hello, friend" ? .newData : .failed
      }
      let outcome = await router.route(greeting)
      #expect(
        outcome == RoutingOutcome(messageType: "greeting", isHandled: true, result: .newData))
    }
  }
}
