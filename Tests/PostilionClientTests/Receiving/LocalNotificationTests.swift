import Foundation
import PostilionClient
import Testing

@Suite struct LocalNotificationTests {
  private func payload(_ json: String) throws -> RemotePayload {
    try #require(RemotePayload(json: Data(json.utf8)))
  }

  @Test func everyMemberOfAPayloadCounts() throws {
    let payload = try payload(
      #"""
      {"aps": {"alert": {"title-loc-key": "TITLE", "title-loc-args": ["Zoé"], "subtitle": "s",
          "loc-key": "MISSING", "body": "b", "launch-image": "L"},
        "badge": 3, "sound": "a.caf", "category": "c", "thread-id": "t",
        "interruption-level": "time-sensitive", "relevance-score": 7,
        "target-content-id": "w", "filter-criteria": "f"},
       "id": "order-7", "order": 7, "attachments": "map.png",
       "trigger": {"type": "time_interval", "seconds": 300}}
      """#)
    let notification = LocalNotification(
      payload, identifier: "unused", strings: NotificationStrings { $0 == "TITLE" ? "For %@" : nil }
    )
    var content = NotificationContent(title: "For Zoé", subtitle: "s", body: "b")
    content.badge = 3
    content.sound = .named("a.caf")
    content.category = "c"
    content.threadID = "t"
    content.interruptionLevel = .timeSensitive
    content.relevanceScore = 1
    content.targetContentID = "w"
    content.filterCriteria = "f"
    content.launchImage = "L"
    content.userInfo = payload.data
    content.attachments = [NotificationAttachment(.bundled("map.png"))]
    #expect(
      notification
        == LocalNotification(
          identifier: "order-7", content: content,
          trigger: .timeInterval(seconds: 300, repeats: false)))
    let info = content.userInfo.compactMapValues(\.propertyList) as [AnyHashable: Any]
    #expect(RemotePayload(userInfo: info).id == "order-7")
  }

  @Test(
    arguments: [
      (#""sound":"a""#, .named("a")), (#""sound":"""#, nil), (#""badge":1"#, nil),
      (#""sound":"a","interruption-level":"critical""#, .critical(.init(name: "a"))),
      (#""sound":{"critical":1,"name":"a","volume":2}"#, .critical(.init(name: "a", volume: 1))),
      (#""sound":{"critical":true}"#, .critical(.init(name: "default"))),
      (#""sound":{"critical":0,"name":"a"}"#, .named("a")),
      (#""sound":{"name":""}"#, .named("default")),
      (#""sound":7"#, nil),
    ] as [(String, RemotePayload.Sound?)])
  func soundsAreThoseOfADevice(json: String, sound: RemotePayload.Sound?) throws {
    #expect(NotificationContent(try payload(#"{"aps":{\#(json)}}"#)).sound == sound)
  }

  @Test func whatADeviceDropsIsDropped() throws {
    let content = NotificationContent(
      try payload(
        #"{"aps":{"badge":-1,"relevance-score":-2,"filter-criteria":"","target-content-id":""}}"#))
    #expect(content.badge == nil)
    #expect(content.relevanceScore == 0)
    #expect(content.filterCriteria == nil)
    #expect(content.targetContentID == nil)
    #expect(!content.isVisible)
  }

  @Test(
    arguments: [
      (#""map.png""#, [.bundled("map.png")]),
      (#"["a.png","b.caf"]"#, [.bundled("a.png"), .bundled("b.caf")]),
      (#"["https://example.com/a.jpg"]"#, [.remote(URL(fileURLWithPath: "/"))]),
      (
        #"["../a.png","/etc/passwd","file:///a.png","http://example.com/a.png","",".a",7,null]"#,
        []
      ),
      (#"["~/a","a/b.png","https://u:p@example.com/a.png","https:///a.png","c:a"]"#, []),
      ("7", []), (#"{"a":1}"#, []),
    ] as [(String, [NotificationAttachment.Source])])
  func attachmentsAreNamesOrAddresses(
    json: String, sources: [NotificationAttachment.Source]
  ) throws {
    let value = try #require(PayloadValue(json: Data(json.utf8)))
    let read = NotificationAttachment.attachments(in: value).map(\.source)
    guard case .remote? = sources.first else {
      #expect(read == sources)
      return
    }
    #expect(read.map(\.remoteText) == ["https://example.com/a.jpg"])
  }

  @Test func attachmentsAreBounded() {
    let names = PayloadValue.array((0..<100).map { .string("\($0).png") })
    #expect(NotificationAttachment.attachments(in: names).count == 8)
  }

  @Test(
    arguments: [
      (#"{"withdraws":"mail-7"}"#, .withdraw("mail-7")), (#"{"withdraws":7}"#, .withdraw("7")),
      (#"{"withdraws":"","aps":{"badge":0},"id":1}"#, show("1", badge: 0)),
      (#"{"withdraws":"a","aps":{"alert":"x"},"id":"b"}"#, .withdraw("a")),
      (#"{"aps":{"badge":2}}"#, show("new", badge: 2)), (#"{"aps":{"alert":""}}"#, nil),
      (#"{"aps":{"alert":{"title":""}},"id":1}"#, nil), (#"{"id":1}"#, nil), ("{}", nil),
      (#"{"aps":7,"id":1}"#, nil),
    ] as [(String, NotificationChange?)])
  func changesAreRead(json: String, change: NotificationChange?) throws {
    let inner = try payload(json)
    let silent = RemotePayload(["aps": ["content-available": 1], "local": .object(inner.object)])
    let direct = NotificationChange(inner, identifier: "new")
    let carried = NotificationChange(carriedBy: silent, key: "local", identifier: "new")
    #expect(direct == carried)
    #expect(direct?.withoutUserInfo == change)
    #expect(NotificationChange(carriedBy: silent, identifier: "new") == nil)
  }

  @Test func aNotificationWithoutAnIdentifierGetsOneOfItsOwn() throws {
    let payload = try payload(#"{"aps":{"alert":"x"}}"#)
    let identifiers = (0..<2).compactMap { _ -> String? in
      guard case .show(let notification)? = NotificationChange(payload) else { return nil }
      return notification.identifier
    }
    #expect(Set(identifiers).count == 2)
  }

  private static func show(_ identifier: String, badge: Int) -> NotificationChange {
    var content = NotificationContent()
    content.badge = badge
    return .show(LocalNotification(identifier: identifier, content: content))
  }
}

extension NotificationChange {
  fileprivate var withoutUserInfo: Self {
    guard case .show(var notification) = self else { return self }
    notification.content.userInfo = [:]
    return .show(notification)
  }
}

extension NotificationAttachment.Source {
  fileprivate var remoteText: String? {
    if case .remote(let url) = self { url.absoluteString } else { nil }
  }
}
