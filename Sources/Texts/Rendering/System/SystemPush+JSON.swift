import APNs
import JSON

extension SystemPush {
  /// One push of each kind, with nothing in it.
  private static let ofEachKind = PushType.allCases.compactMap(SystemPush.init)

  /// Reads the push that a message has, of any kind; `nil` when it has none, or after a fault.
  ///
  ///     {"live_activity": {"event": "update", "type": "Delivery", "content_state": {…}}}
  static func read(
    _ fields: FieldReader, _ parameters: [String: Parameter]
  ) -> (push: SystemPush, alert: MessageAlert?)? {
    var found: (push: SystemPush, alert: MessageAlert?)?
    for empty in ofEachKind {
      let read = fields.object(empty.member) { fields in
        var reader = SystemPushReader(fields, parameters, empty)
        return reader.read() ? (reader.push, reader.alert) : nil
      }.value
      guard let read else { continue }
      if let other = found {
        fields.refuse(
          .tooMany, at: empty.member, "The message is `\(other.push.member)` already.")
      }
      found = read
    }
    return found
  }
}

/// Reads the object of a kind.
private struct SystemPushReader {
  let fields: FieldReader
  let parameters: [String: Parameter]
  var push: SystemPush
  var alert: MessageAlert?

  init(_ fields: FieldReader, _ parameters: [String: Parameter], _ empty: SystemPush) {
    self.fields = fields
    self.parameters = parameters
    push = empty
  }

  /// - Returns: Whether it could be read.
  mutating func read() -> Bool {
    switch push.rules.contents {
    case .activity: readActivity()
    case .session: readNowPlaying()
    case .control:
      push.handler = fields.required(fields.identifier("handler"), "handler")
      push.name = fields.template("control", parameters)
    case .reload: break
    case .data(let required): readMembers(required)
    }
    return push.event != nil || !push.isTimed
  }

  private mutating func readActivity() {
    push.event = fields.required(fields.word("event"), "event")
    push.type = fields.identifier("type").value
    push.name = fields.template("activity", parameters)
    push.contentState = state(
      "content_state", isRequired: push.event == .start || push.event == .update)
    push.attributes = state("attributes", isRequired: push.event == .start)
    push.staleAfterSeconds =
      fields.integer("stale_after_s", in: 1...MessageLimits.ttlSeconds).value
    push.dismissAfterSeconds =
      fields.integer("dismiss_after_s", in: 0...MessageLimits.dismissalSeconds).value
    push.relevanceScore = fields.number("relevance_score", in: -1e9...1e9).value
    push.asksForToken = fields.flag("input_push_token").value ?? false
    push.inputChannelName = fields.identifier("input_push_channel").value
    readAlert()
    checkActivity()
  }

  private mutating func readAlert() {
    guard let value = fields.json("alert").value else { return }
    var members = JSONObject()
    if case .object(let object) = value { members = object }
    switch members.removeValue(forKey: "sound") {
    case nil, .null?: break
    case .string(let sound)?: push.sound = sound
    case _?:
      fields.refuse(
        .wrongType, pointer: fields.pointer(to: "alert") + "/sound",
        "Expected a string: Live Activities have no critical sound.")
    }
    alert = MessageAlert(
      members.isEmpty ? value : .object(members), parameters: parameters, fields)
    if let alert, alert.subtitle != nil || alert.launchImage != nil || alert.actionKey != nil {
      fields.refuse(
        .unknownField, at: "alert", "The alert of a Live Activity has `title`, `body` and `sound`.")
    }
  }

  /// Checks members that belong to one event alone (Apple, "Starting and updating Live Activities
  /// with ActivityKit push notifications").
  private func checkActivity() {
    switch push.event {
    case .start:
      if push.type == nil {
        fields.refuse(.missingField, at: "type", "A start names the attributes type.")
      }
      if alert == nil {
        fields.refuse(.missingField, at: "alert", "The start of a Live Activity has an alert.")
      }
      refuse(push.name != nil, "activity", "The activity that starts has no id yet.")
    case .update, .end:
      if push.type == nil, push.name == nil {
        fields.refuse(
          .missingField, at: "activity", "Name the `activity`, or the `type` of all that get it.")
      }
      refuse(push.attributes != nil, "attributes", "Only a start has attributes.")
      refuse(push.asksForToken, "input_push_token", "Only a start asks for an update token.")
      refuse(
        push.inputChannelName != nil, "input_push_channel", "Only a start subscribes to a channel.")
    case nil: break
    }
    refuse(
      push.dismissAfterSeconds != nil && push.event != .end, "dismiss_after_s",
      "Only an end says when the activity goes.")
  }

  private func refuse(_ isThere: Bool, _ name: String, _ detail: String) {
    if isThere { fields.refuse(.unknownField, at: name, detail) }
  }

  private mutating func readNowPlaying() {
    push.event = fields.required(fields.word("event"), "event")
    let isOfSession = push.event == .update || push.event == .end
    push.name = fields.template("session", parameters, isRequired: isOfSession)
    push.attributes = state("attributes", isRequired: push.event == .start || push.event == .update)
    refuse(push.event == .start && push.name != nil, "session", "A start goes to no session yet.")
    checkSessionID()
  }

  /// Checks the session's id: without an id in `attributes` the device drops the push. If the
  /// message names a `session`, the id is filled in.
  private func checkSessionID() {
    var id: JSONValue?
    if case .object(let members)? = fields.json("attributes").value { id = members["id"] }
    let place = fields.pointer(to: "attributes") + "/id"
    func refuse(_ fault: InputFault, _ detail: String) {
      fields.refuse(fault.problem(at: place, detail))
    }
    switch id {
    case nil where push.event != .start: break
    case nil: refuse(.missingField, "A start has the session's `id`.")
    case .string(let text)? where text.isEmpty:
      refuse(.tooShort, "The `id` of a session is not empty.")
    case .string(let text)?:
      let type = Template(text).onlyName.flatMap { parameters[$0]?.type }
      if let type, type != .string { refuse(.wrongType, "Expected a string.") }
      if push.event != .start, fields.json("session").value != id {
        refuse(.unknownValue, "The `id` is that of the `session`.")
      }
    case _?: refuse(.wrongType, "Expected a string.")
    }
  }

  /// The app's own members: all of the object.
  private mutating func readMembers(_ required: String?) {
    var members = JSONObject()
    for name in fields.names {
      if let value = fields.json(name).value { members[name] = value }
    }
    if members["aps"] != nil {
      fields.refuse(.reservedName, at: "aps", "`aps` is Apple's; give the app's data another name.")
    }
    if let required { _ = fields.required(fields.identifier(required), required) }
    guard !members.isEmpty else { return }
    let value = JSONValue.object(members)
    guard isBounded(value, at: fields.pointer) else { return }
    fields.checkPlaceholders(in: value, parameters, at: fields.pointer)
    push.members = DataTemplate(value)
  }

  private func state(_ name: String, isRequired: Bool) -> StateTemplate? {
    let change = fields.json(name)
    guard let value = isRequired ? fields.required(change, name) : change.value else { return nil }
    guard case .object(let members) = value, !members.isText else {
      fields.refuseType(name, "an object, and no text by itself", value)
      return nil
    }
    let place = fields.pointer(to: name)
    guard isBounded(value, at: place) else { return nil }
    return StateTemplate(value, parameters: parameters, at: place, fields)
  }

  private func isBounded(_ value: JSONValue, at pointer: String) -> Bool {
    if value.isShallower(than: MessageLimits.dataDepth) { return true }
    fields.refuse(.tooDeep, pointer: pointer, "At most \(MessageLimits.dataDepth) levels.")
    return false
  }
}
