import Foundation
import PostilionCalls
import Testing

@testable import PostilionClient

@Suite struct CallReceiverTests {
  private static func receiver() -> CallReceiver {
    CallReceiver(now: { Date(timeIntervalSince1970: 1_700_000_000) })
  }

  /// Gives a payload to a receiver; fails unless it is reported once, and completed once
  /// afterwards.
  private func receive(
    _ json: String, _ receiver: CallReceiver, location: SourceLocation = #_sourceLocation
  ) throws -> (call: IncomingCall, fate: CallFate) {
    let object = try JSONSerialization.jsonObject(with: Data(json.utf8))
    let userInfo = try #require(object as? [AnyHashable: Any], sourceLocation: location)
    var reports: [(call: IncomingCall, fate: CallFate)] = []
    var completions = 0
    receiver.receive(userInfo) { call, fate in
      #expect(completions == 0, sourceLocation: location)
      reports.append((call, fate))
    } completion: {
      #expect(reports.count == 1, sourceLocation: location)
      completions += 1
    }
    #expect(reports.count == 1, sourceLocation: location)
    #expect(completions == 1, sourceLocation: location)
    return try #require(reports.first, sourceLocation: location)
  }

  @Test(
    arguments: [
      (#"{"call":{"id":"a","time":1700000000}}"#, .ring), (#"{"call":{"id":"a"}}"#, .ring),
      (#"{"call":{"id":"a","time":1699999940}}"#, .ring),
      (#"{"call":{"id":"a","time":1700009999}}"#, .ring),
      (#"{"call":{"id":"a","time":1699999939}}"#, .endStale),
      (#"{"call":{"id":"a","time":-1e300}}"#, .endStale),
      (#"{"aps":{"alert":"hello world"},"id":1}"#, .ring), (#"{"aps":{"alert":"x"}}"#, .ring),
      (#"{"handle":"zoe"}"#, .ring), (#"{"withdraws":"a"}"#, .endWithdrawn),
      ("{}", .endUnreadable), (#"{"call":"a"}"#, .endUnreadable),
      (#"{"aps":{"badge":1}}"#, .endUnreadable),
      (#"{"call":{"id":null,"time":{}}}"#, .endUnreadable),
    ] as [(String, CallFate)])
  func everyPayloadIsReportedOnce(json: String, fate: CallFate) throws {
    #expect(try receive(json, Self.receiver()).fate == fate)
    #expect(fate.ends == (fate != .ring))
  }

  /// From iOS 26.4 on the system says whether a payload must be reported.
  @Test(
    arguments: [
      (#"{"call":{"id":"new"}}"#, [.ring]), (#"{"call":{"id":"new","time":1699990000}}"#, []),
      (#"{"call":{"id":"gone"}}"#, []), (#"{"withdraws":"never"}"#, []), ("{}", []),
      // What rings is ended, but not by the same call once more: it may be answered by then.
      (#"{"withdraws":"ringing"}"#, [.endWithdrawn]),
      (#"{"call":{"id":"ringing","time":1699990000}}"#, []),
    ] as [(String, [CallFate])])
  func whatNeedNotBeReportedAndIsOverIsNot(json: String, fates: [CallFate]) throws {
    let receiver = Self.receiver()
    _ = try receive(#"{"call":{"id":"ringing"}}"#, receiver)
    receiver.withdraw("gone")
    let payload = try #require(RemotePayload(json: Data(json.utf8)))
    var (reports, completions) = ([CallFate](), 0)
    receiver.receive(payload, mustReport: false) { _, fate in
      reports.append(fate)
    } completion: {
      completions += 1
    }
    #expect(reports == fates)
    #expect(completions == 1)
  }

  @Test func aPayloadThatIsNoJSONIsReported() {
    var reports: [CallFate] = []
    Self.receiver().receive([7: NSObject(), "a": NSObject()]) { _, fate in reports.append(fate) }
    #expect(reports == [.endUnreadable])
  }

  @Test func aWithdrawalEndsTheCallOfItsMessage() throws {
    let receiver = Self.receiver()
    let ringing = try receive(#"{"call":{"id":"c-1"},"id":"message-1"}"#, receiver)
    let ended = try receive(#"{"withdraws":"message-1"}"#, receiver)
    #expect(ended.call.uuid == ringing.call.uuid)
    #expect(ended.fate == .endWithdrawn)
    #expect(receiver.withdraw("c-1") == ringing.call.uuid)
    #expect(receiver.withdraw("never-seen") == UUID(postilionName: "never-seen"))
  }

  @Test func aWithdrawalMayOvertakeItsCall() throws {
    let receiver = Self.receiver()
    receiver.withdraw("message-1")
    #expect(try receive(#"{"withdraws":7}"#, receiver).fate == .endWithdrawn)
    let fates = try [
      #"{"call":{"id":"c-1"},"id":"message-1"}"#, #"{"call":{"id":7}}"#, #"{"call":{"id":"c-2"}}"#,
    ].map { try receive($0, receiver).fate }
    #expect(fates == [.endWithdrawn, .endWithdrawn, .ring])
  }

  @Test func theMemoryIsBounded() throws {
    let receiver = Self.receiver()
    for number in 0..<40 { receiver.withdraw("call-\(number)") }
    let fates = try [0, 7, 8, 39].map { number in
      try receive(#"{"call":{"id":"call-\#(number)"}}"#, receiver).fate
    }
    #expect(fates == [.ring, .ring, .endWithdrawn, .endWithdrawn])
  }

  @Test func theAppMayReadTheCallItself() throws {
    let uuid = UUID()
    let receiver = CallReceiver(
      ringSeconds: 5, now: { Date(timeIntervalSince1970: 10) },
      read: {
        IncomingCall(
          uuid: uuid, id: $0.data["ring"]?.string, startedAt: .init(timeIntervalSince1970: 4))
      })
    let report = try receive(#"{"ring":"a"}"#, receiver)
    #expect(report.call.uuid == uuid)
    #expect(report.fate == .endStale)
  }

  /// The registration knows how far the clock is ahead, also before it has begun.
  @Test func aCallRingsOnAPhoneWhoseClockIsAhead() throws {
    var conversation = Conversation()
    conversation.state.apply(.token(.apns, Data(repeating: 0xA1, count: 32)))
    let now = conversation.now
    let stored = ServerTime.text(now.addingTimeInterval(-90))
    conversation.answer(201, ["reported_at": .string(stored)])
    let device = TestDevice()
    device.state.bytes = try JSONEncoder().encode(conversation.state)
    var tools = device.tools
    tools.now = { now }
    let client = Postilion(tools: tools)
    #expect(client.serverTime == now.addingTimeInterval(-90))
    let receiver = CallReceiver(now: { client.serverTime })
    let time = Int(now.timeIntervalSince1970) - 95
    #expect(try receive(#"{"call":{"id":"a","time":\#(time)}}"#, receiver).fate == .ring)
  }
}
