import APNs
import Testing

@Suite struct RequestHeadersTests {
  @Test func headersSayWhatAPNsAsksFor() {
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

  /// A message that was stored when a year was allowed.
  @Test func nothingIsKeptLongerThan30Days() {
    let headers = RequestHeaders(
      bundleID: "b", pushType: .alert, ttlSeconds: 31_536_000, now: 1_700_000_000)
    #expect(headers.expiration == 1_702_592_000)
  }

  @Test(arguments: [(nil, 5), (10, 5), (5, 5), (1, 1)] as [(Int?, Int)])
  func thePowerOfADeviceThatAnAlertAlsoWakesIsSaved(asked: Int?, expected: Int) {
    let headers = RequestHeaders(
      bundleID: "b", pushType: .alert, priority: asked, contentAvailable: true, now: 0)
    #expect(headers.priority == expected)
  }
}
