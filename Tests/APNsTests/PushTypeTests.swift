import APNs
import JSON
import Testing

@Suite struct PushTypeTests {
  /// What APNs asks of a kind of notification.
  struct Row: Sendable, CustomTestStringConvertible {
    var pushType: PushType
    var topic: String
    var priorities: [Int]
    var maximumBytes = 4096
    var expiration: Int64?
    var testDescription: String { pushType.rawValue }
  }

  static let rows = [
    Row(pushType: .alert, topic: "b.c", priorities: [10, 5, 1]),
    Row(pushType: .background, topic: "b.c", priorities: [5]),
    Row(pushType: .voip, topic: "b.c.voip", priorities: [10], maximumBytes: 5120, expiration: 0),
    Row(pushType: .complication, topic: "b.c.complication", priorities: [10, 5, 1]),
    Row(pushType: .fileprovider, topic: "b.c.pushkit.fileprovider", priorities: [10, 5, 1]),
    Row(pushType: .liveactivity, topic: "b.c.push-type.liveactivity", priorities: [10, 5]),
    Row(pushType: .location, topic: "b.c.location-query", priorities: [10, 5]),
    Row(pushType: .pushtotalk, topic: "b.c.voip-ptt", priorities: [10], expiration: 0),
    Row(pushType: .mdm, topic: "b.c", priorities: [10, 5, 1]),
    Row(pushType: .widgets, topic: "b.c.push-type.widgets", priorities: [10, 5, 1]),
    Row(pushType: .controls, topic: "b.c.push-type.controls", priorities: [10, 5, 1]),
    Row(pushType: .nowplaying, topic: "b.c.push-type.nowplaying", priorities: [10, 5, 1]),
  ]

  @Test
  func everyPushTypeIsInTheTable() { #expect(Self.rows.map(\.pushType) == PushType.allCases) }

  @Test(arguments: rows)
  func aPushTypeDecidesTheHeaderFields(row: Row) {
    func headers(priority: Int? = nil, ttl: Int64? = nil) -> RequestHeaders {
      RequestHeaders(
        bundleID: "b.c", pushType: row.pushType, priority: priority, ttlSeconds: ttl, now: 100)
    }
    #expect(headers().topic == row.topic)
    #expect(headers().priority == row.priorities[0])
    #expect(headers().expiration == row.expiration)
    #expect(headers(ttl: 60).expiration == 160)
    #expect(headers(ttl: 0).expiration == 0)
    #expect(row.pushType.rules.maximumPayloadBytes == row.maximumBytes)
    for priority in [1, 5, 7, 10] {
      let isAllowed = row.priorities.contains(priority)
      #expect(headers(priority: priority).priority == (isAllowed ? priority : row.priorities[0]))
    }
    let names = headers().fields.map(\.name)
    #expect(names.contains("apns-expiration") == (row.expiration != nil))
    #expect(names == names.sorted())
  }

  @Test(arguments: rows)
  func aPushTypeBoundsThePayloadAndThePriority(row: Row) {
    func codes(_ bytes: Int, priority: Int) -> [String] {
      var headers = RequestHeaders(bundleID: "b.c", pushType: row.pushType, now: 0)
      headers.priority = priority
      let problems = PayloadValidator.problems(
        payload: Payload(), payloadBytes: bytes, headers: headers)
      return problems.map(\.code)
    }
    let best = row.priorities[0]
    #expect(!codes(row.maximumBytes, priority: best).contains("payload_too_large"))
    #expect(codes(row.maximumBytes + 1, priority: best).contains("payload_too_large"))
    for priority in [1, 5, 7, 10] {
      let isRefused = codes(0, priority: priority)
        .contains(row.pushType == .background ? "background_priority" : "priority_not_allowed")
      #expect(isRefused != row.priorities.contains(priority))
    }
  }

  /// A payload, and the kind that it is taken for.
  @Test(
    arguments: [
      (#"{"aps":{"alert":"x"}}"#, .alert), (#"{"aps":{"content-available":1}}"#, .background),
      (#"{"aps":{"event":"end","timestamp":1}}"#, .liveactivity),
      (#"{"aps":{"event":"update","content-state":{}}}"#, .liveactivity),
      (
        #"{"aps":{"event":"start","attributes":{"id":"1"},"attributes-type":"Ride"}}"#,
        .liveactivity
      ),
      (
        #"{"aps":{"event":"start","attributes":{"id":"1"},"content-state":{}}}"#, .liveactivity
      ),
      (#"{"aps":{"event":"start","attributes":{"title":"x"}}}"#, .liveactivity),
      (#"{"aps":{"event":"start","timestamp":1,"attributes":{"id":"s"}}}"#, .nowplaying),
      (#"{"aps":{"event":"end","attributes":{"id":"s"}}}"#, .nowplaying),
    ] as [(String, PushType)])
  func aPayloadTellsItsKind(json: String, pushType: PushType) throws {
    guard case .object(let payload)? = JSONValue(parsing: Array(json.utf8)) else {
      Issue.record("\(json)")
      return
    }
    #expect(PushType(of: payload) == pushType)
  }
}
