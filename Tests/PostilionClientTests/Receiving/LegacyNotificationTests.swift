import Foundation
import PostilionClient
import Testing

/// Members of `UILocalNotification`, and where they are today (docs/seeds.md).
@Suite struct LegacyNotificationTests {
  private static let strings = NotificationStrings {
    ["T": "Title", "B": "Body of %@", "PLAY": "Play"][$0]
  }

  private func notification(
    _ members: String, _ beside: String = ""
  ) throws -> LocalNotification {
    let json = #"{"aps":{\#(members)}\#(beside)}"#
    return LocalNotification(
      try #require(RemotePayload(json: Data(json.utf8))), identifier: "new", strings: Self.strings)
  }

  @Test func everyMemberHasItsPlace() throws {
    let local = try notification(
      #"""
      "alert": {"title-loc-key": "T", "loc-key": "B", "loc-args": ["Zoé"],
        "action-loc-key": "PLAY", "launch-image": "L"},
      "badge": 5, "sound": "a.caf", "category": "game"
      """#, #","id": 1, "level": 7"#)
    let content = local.content
    #expect(content.title == "Title")  // alertTitle
    #expect(content.body == "Body of Zoé")  // alertBody
    #expect(content.launchImage == "L")  // alertLaunchImage
    #expect(content.badge == 5)  // applicationIconBadgeNumber
    #expect(content.sound == .named("a.caf"))  // soundName
    #expect(content.category == "game")  // category
    #expect(content.userInfo == ["id": 1, "level": 7])  // userInfo
    #expect(local.identifier == "1")
    #expect(local.trigger == nil)  // no fireDate: at once
    #expect(try notification(#""alert":"hello world""#).content.body == "hello world")
  }

  /// `alertAction` and `hasAction`: the button of a category.
  @Test(
    arguments: [
      (#"{"action-loc-key":"PLAY"}"#, "Play"), (#"{"action-loc-key":"MISSING"}"#, "MISSING"),
      (#"{"action-loc-key":null}"#, nil), (#"{"action-loc-key":""}"#, nil), (#""hello""#, nil),
    ] as [(String, String?)])
  func theActionIsAButton(json: String, title: String?) throws {
    let payload = try #require(RemotePayload(json: Data(#"{"aps":{"alert":\#(json)}}"#.utf8)))
    let buttons = payload.aps?.alert?.actionTitle.map {
      [NotificationCategory.Button("open", title: $0, options: .foreground)]
    }
    let category = NotificationCategory("game", buttons: buttons ?? []).localized(Self.strings)
    #expect(category.buttons.map(\.title) == title.map { [.text($0)] } ?? [])
  }

  /// `fireDate`, `timeZone`, `repeatInterval`, `region` and `regionTriggersOnce`.
  @Test(
    arguments: [
      (
        #"{"type":"calendar","date":{"hour":8,"minute":30},"repeats":true}"#,
        .calendar(DateComponents(hour: 8, minute: 30), repeats: true)
      ),
      (
        #"{"type":"time_interval","seconds":3600,"repeats":true}"#,
        .timeInterval(seconds: 3600, repeats: true)
      ),
      (
        #"{"type":"location","latitude":1,"longitude":2,"radius":100,"repeats":false}"#,
        .location(.init(latitude: 1, longitude: 2, radius: 100), repeats: false)
      ),
    ] as [(String, NotificationTrigger)])
  func whenItFiresIsATrigger(json: String, trigger: NotificationTrigger) throws {
    #expect(try notification(#""alert":"x""#, #","trigger":\#(json)"#).trigger == trigger)
  }
}
