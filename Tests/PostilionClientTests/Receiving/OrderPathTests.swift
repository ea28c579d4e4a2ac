import PostilionClient
import Testing

/// The example of an app that opens what a notification names; the file is that of `Examples`.
@Suite struct OrderPathTests {
  @Test(
    arguments: [
      (["order": "7"], .init(.open), ["3", "7"]),
      (["order": "7"], .init(.button, button: "view"), ["3", "7"]),
      (["order": "3"], .init(.open), ["3"]),
      (["order": "7"], .init(.button, button: "later"), nil),
      (["order": "7"], .init(.dismiss), nil),
      (["order": "7"], .init(.reply, button: "answer", text: "x"), nil),
      (["order": 7], .init(.open), nil), ([:], .init(.open), nil),
    ] as [([String: PayloadValue], NotificationAction, [String]?)])
  func aNotificationOpensWhatItNames(
    data: [String: PayloadValue], action: NotificationAction, orders: [String]?
  ) {
    var path = OrderPath()
    _ = path.open(RemotePayload(data: ["order": "3"]), NotificationAction(.open))
    let isOpened = path.open(RemotePayload(data: data), action)
    #expect(isOpened == (orders != nil))
    #expect(path.orders == orders ?? ["3"])
  }
}
