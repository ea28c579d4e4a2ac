import Foundation
import PostilionCalls
import PostilionClient
import Testing

@Suite struct IncomingCallTests {
  static let now = Date(timeIntervalSince1970: 1_700_000_000)

  private static func payload(_ json: String) -> RemotePayload {
    RemotePayload(json: Data(json.utf8)) ?? RemotePayload()
  }

  @Test func everyMemberCounts() {
    let call = IncomingCall(
      Self.payload(
        #"""
        {"aps": {"alert": {"title": "Zoé", "body": "calls you"}}, "id": "m",
         "call": {"id": "5f0c8e6a-2b9d-4c1e-8a37-d14f6b20c9ee", "time": 1700000000},
         "handle": "+41 79 123 45 67", "video": 1}
        """#))
    #expect(call.uuid.uuidString == "5F0C8E6A-2B9D-4C1E-8A37-D14F6B20C9EE")
    #expect(call.id == "5f0c8e6a-2b9d-4c1e-8a37-d14f6b20c9ee")
    #expect(call.callerName == "Zoé")
    #expect(call.handle == CallHandle(.phoneNumber, "+41 79 123 45 67"))
    #expect(call.hasVideo)
    #expect(call.startedAt == Self.now)
  }

  @Test func membersOfTheCallCountBeforeThoseOfThePayload() {
    let call = IncomingCall(
      Self.payload(#"{"call":{"id":"a","from":"zoe","camera":true},"from":"x","camera":false}"#),
      handleKey: "from", videoKey: "camera")
    #expect(call.handle == CallHandle(.generic, "zoe"))
    #expect(call.hasVideo)
  }

  @Test func aNameMayComeByKey() {
    let json = #"{"aps":{"alert":{"loc-key":"CALL","loc-args":["Zoé"]}}}"#
    let call = IncomingCall(Self.payload(json), strings: NotificationStrings { _ in "%@ calls" })
    #expect(call.callerName == "Zoé calls")
  }

  @Test(arguments: [
    ("a", "D228CB69-6F1A-8CAF-B891-2B704E4A8964"), ("", "6C62272E-07BB-8142-A2B8-21756295C58D"),
    ("5f0c8e6a-2b9d-4c1e-8a37-d14f6b20c9ee", "5F0C8E6A-2B9D-4C1E-8A37-D14F6B20C9EE"),
  ])
  func namesHaveStableUUIDs(name: String, uuid: String) {
    #expect(UUID(postilionName: name).uuidString == uuid)
  }

  @Test func namesHaveUUIDsOfTheirOwn() {
    let names = (0..<10_000).flatMap { ["call-\($0)", "\($0)", "\($0)é"] }
    #expect(Set(names.map { UUID(postilionName: $0) }).count == names.count)
  }

  @Test(arguments: [
    (0, false), (59, false), (60, false), (61, true), (86_400, true), (-3600, false),
  ])
  func aCallIsOverAfterAMinute(seconds: Double, isOver: Bool) {
    let call = IncomingCall(uuid: UUID(), startedAt: Self.now)
    #expect(call.isOver(at: Self.now + seconds) == isOver)
    #expect(IncomingCall(uuid: UUID()).isOver(at: Self.now) == false)
  }

  @Test(
    arguments: [
      (#""zoe""#, .init(.generic, "zoe")),
      (#""zoe@example.com""#, .init(.emailAddress, "zoe@example.com")),
      (#""@zoe""#, .init(.generic, "@zoe")),
      (#""+41791234567""#, .init(.phoneNumber, "+41791234567")),
      (#""(079) 123-45.67""#, .init(.phoneNumber, "(079) 123-45.67")),
      ("117", .init(.phoneNumber, "117")),
      (#""12""#, .init(.generic, "12")), (#""""#, nil), ("null", nil), ("true", nil), ("[]", nil),
      ("{}", nil),
      (#"{"type":"phone_number","value":"zoe"}"#, .init(.phoneNumber, "zoe")),
      (#"{"type":"email_address","value":7}"#, .init(.emailAddress, "7")),
      (#"{"value":"+41791234567"}"#, .init(.generic, "+41791234567")),
      (#"{"type":"pigeon","value":"zoe"}"#, .init(.generic, "zoe")), (#"{"value":[]}"#, nil),
    ] as [(String, CallHandle?)])
  func handlesAreRead(json: String, handle: CallHandle?) throws {
    #expect(CallHandle(try #require(PayloadValue(json: Data(json.utf8)))) == handle)
  }

  @Test(arguments: [
    #"{"call":7}"#, #"{"call":{"id":[]}}"#, #"{"aps":[]}"#, "{}", #"{"call":{"time":1e300}}"#,
    #"{"handle":{"value":{}},"video":"x"}"#,
  ])
  func oddPayloadsMakeACall(json: String) {
    let call = IncomingCall(Self.payload(json))
    #expect(call == IncomingCall(Self.payload(json)), "the same payload, another call")
    #expect(call.callerName == nil)
    #expect(call.handle == nil)
  }
}
