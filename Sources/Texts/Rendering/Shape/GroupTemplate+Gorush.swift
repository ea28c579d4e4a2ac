import APNs
public import DeviceProfile
import JSON

extension GroupTemplate {
  /// The body of gorush's `POST /api/push` (appleboy/gorush, `notify/notification.go`) for one
  /// payload: `{"notifications": [{"platform": 1, "tokens": […], …}]}`.
  ///
  /// A text alone goes into `message`, which gorush makes the string form of `alert`. Priority 1
  /// has no word there and becomes `normal`, which is 5. An expiration of 0, one attempt, becomes
  /// the second after the rendering.
  public static func gorush(
    _ content: RenderedContent, _ environment: Environment
  ) -> GroupTemplate {
    var writer = JSONWriter()
    writer.object { writer in
      writer.key("notifications")
      writer.array { writer in
        writer.object { writer in
          writer.key("platform")
          writer.integer(1)
          writer.key(environment == .sandbox ? "development" : "production")
          writer.bool(true)
          content.headers.writeGorush(to: &writer)
          Payload(json: content.payload)?.writeGorush(to: &writer)
          writer.key("tokens")
          writer.array { _ in }
        }
      }
    }
    return GroupTemplate(before: Array(writer.bytes.dropLast(4)), after: Array("]}]}".utf8))
  }
}

extension Message {
  /// Fields of the message that gorush has no place for.
  public var unknownToGorush: [String] {
    APSKey.ofMessages.filter { key, _ in
      (aps[key] != nil || apsTexts[key] != nil) && !APS.gorushNames.contains { $0.key == key }
    }
    .map(\.name) + [push?.member].compactMap(\.self)
  }

  /// Whether gorush must get the text: it knows no `subtitle-loc-key`.
  public var needsTextForGorush: Bool {
    alert?.subtitle?.branches.contains { if case .key = $0.source { true } else { false } } ?? false
  }
}

extension RequestHeaders {
  fileprivate func writeGorush(to writer: inout JSONWriter) {
    writer.member("topic", topic)
    writer.member("push_type", pushType.rawValue)
    writer.member("priority", priority == 10 ? "high" : "normal")
    if let expiration {
      writer.key("expiration")
      // gorush's client of APNs leaves out 0, and APNs would keep the notification for days. With
      // the next second it keeps it no longer than that.
      writer.integer(expiration == 0 ? madeAt + 1 : expiration)
    }
    if let collapseID { writer.member("collapse_id", collapseID) }
  }
}

extension Payload {
  fileprivate func writeGorush(to writer: inout JSONWriter) {
    if let aps { aps.writeGorush(to: &writer) }
    guard !data.isEmpty else { return }
    writer.key("data")
    writer.value(.object(data))
  }
}

extension APS {
  /// The members that gorush has a place for, with its names, as they are written.
  fileprivate static let gorushNames: [(key: APSKey, name: String)] = [
    (.alert, "alert"), (.badge, "badge"), (.sound, "sound"), (.category, "category"),
    (.threadID, "thread-id"), (.interruptionLevel, "interruption_level"),
    (.contentAvailable, "content_available"), (.mutableContent, "mutable_content"),
  ]

  fileprivate func writeGorush(to writer: inout JSONWriter) {
    for (key, name) in Self.gorushNames {
      switch (self[key], key.rules.kind) {
      case (.alert(.text(let text)), _): writer.member("message", text)
      case (.alert(.object(let alert)), _): writer.member(name, alert)
      case (.sound(.critical(let sound)), _): writer.member(name, sound)
      case (.sound(.named(let text)), _), (.text(let text), _): writer.member(name, text)
      case (.integer(let flag), .flag): if flag == 1 { writer.member(name, true) }
      case (.integer(let number), _): writer.member(name, number)
      default: break
      }
    }
  }
}
