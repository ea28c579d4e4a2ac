import APNs
import Testing

@Suite("Request headers")
struct RequestHeadersTests {
  @Test("say what APNs asks for")
  func all() {
    let headers = RequestHeaders(
      bundleID: "com.example.app", pushType: .alert, ttlSeconds: 3600, now: 1_700_000_000,
      collapseID: "order-7", id: "8B4F1E0A-5A4E-4F53-9E8D-0C6B5D3E2F10")
    #expect(
      headers.fields.map { "\($0.name): \($0.value)" } == [
        "apns-collapse-id: order-7", "apns-expiration: 1700003600",
        "apns-id: 8b4f1e0a-5a4e-4f53-9e8d-0c6b5d3e2f10", "apns-priority: 10",
        "apns-push-type: alert", "apns-topic: com.example.app",
      ])
    #expect(RequestHeaders.path(token: "740f") == "/3/device/740f")
  }

  @Test(
    "give a priority that is allowed",
    arguments: [
      (PushType.alert, false, nil, 10), (.alert, false, 5, 5), (.alert, false, 1, 1),
      (.alert, false, 7, 10), (.alert, true, nil, 5), (.alert, true, 10, 5), (.alert, true, 1, 1),
      (.background, true, nil, 5), (.background, true, 10, 5), (.background, true, 1, 5),
      (.voip, false, nil, 10), (.voip, false, 5, 10), (.liveactivity, false, 5, 5),
    ] as [(PushType, Bool, Int?, Int)])
  func priority(pushType: PushType, contentAvailable: Bool, asked: Int?, expected: Int) {
    let headers = RequestHeaders(
      bundleID: "b", pushType: pushType, priority: asked, contentAvailable: contentAvailable,
      now: 0)
    #expect(headers.priority == expected)
  }

  @Test("expire", arguments: [(nil, nil), (0, 0), (60, 160)] as [(Int64?, Int64?)])
  func expiration(ttl: Int64?, expected: Int64?) {
    let headers = RequestHeaders(bundleID: "b", pushType: .alert, ttlSeconds: ttl, now: 100)
    #expect(headers.expiration == expected)
  }

  @Test(
    "name the topic of the push type",
    arguments: [
      (PushType.alert, "b"), (.background, "b"), (.voip, "b.voip"), (.pushtotalk, "b.voip-ptt"),
      (.complication, "b.complication"), (.fileprovider, "b.pushkit.fileprovider"),
      (.liveactivity, "b.push-type.liveactivity"), (.location, "b.location-query"),
      (.widgets, "b.push-type.widgets"), (.controls, "b.push-type.controls"),
    ])
  func topic(pushType: PushType, topic: String) {
    #expect(RequestHeaders(bundleID: "b", pushType: pushType, now: 0).topic == topic)
  }
}
