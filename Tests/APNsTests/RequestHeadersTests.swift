import APNs
import Testing

@Suite struct RequestHeadersTests {
  @Test func headersSayWhatAPNsAsksFor() {
    let headers = RequestHeaders(
      bundleID: "com.example.app", pushType: .alert, ttlSeconds: 3600, now: 1_700_000_000,
      collapseID: "order-7")
    #expect(
      headers.fields.map { "\($0.name): \($0.value)" } == [
        "apns-collapse-id: order-7", "apns-expiration: 1700003600", "apns-priority: 10",
        "apns-push-type: alert", "apns-topic: com.example.app",
      ])
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
