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
    [
      targetContentID == nil ? nil : "target_content_id",
      relevanceScore == nil ? nil : "relevance_score",
      filterCriteria == nil ? nil : "filter_criteria",
      push?.member,
    ].compactMap { $0 }
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
  fileprivate func writeGorush(to writer: inout JSONWriter) {
    switch alert {
    case .text(let text): writer.member("message", text)
    case .object(let alert):
      writer.key("alert")
      alert.write(to: &writer)
    case nil: break
    }
    if let badge {
      writer.key("badge")
      writer.integer(Int64(badge))
    }
    switch sound {
    case .named(let name): writer.member("sound", name)
    case .critical(let sound):
      writer.key("sound")
      sound.write(to: &writer)
    case nil: break
    }
    if let category { writer.member("category", category) }
    if let threadID { writer.member("thread-id", threadID) }
    if let interruptionLevel { writer.member("interruption_level", interruptionLevel.rawValue) }
    for (name, flag) in [
      ("content_available", contentAvailable), ("mutable_content", mutableContent),
    ] where flag == 1 {
      writer.key(name)
      writer.bool(true)
    }
  }
}
