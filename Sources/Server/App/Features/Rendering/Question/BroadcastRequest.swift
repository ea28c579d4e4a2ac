internal import Content
internal import JSON
internal import Rendering

/// The body of `POST …/render` whose `to` names channels: the message and the channels.
struct BroadcastRequest: RequestBody {
  enum Choice: Sendable {
    /// One channel, which must be there.
    case channel(String)
    /// All channels with an attributes type.
    case type(String)
  }

  static var policy: FieldPolicy { .strict }

  let message: MessageChoice
  let choice: Choice
  let settings: RenderSettings

  /// Whether a body is a broadcast.
  static func isMeant(by fields: FieldReader) -> Bool {
    guard case .object(let members)? = fields.json("to").value else { return false }
    return members["channel"] != nil || members["channels"] != nil
  }

  init?(reading fields: FieldReader) {
    let message = fields.messageChoice()
    let choice = fields.object("to") { fields -> Choice? in
      if fields.has("channel"), fields.has("channels") {
        fields.refuse(.tooMany, at: "channels", "Either `channel` or `channels`.")
        fields.ignoreUnknownFields()
      }
      func text(_ name: String, in fields: FieldReader) -> String? {
        fields.required(
          fields.text(name, maximum: MessageLimits.identifierBytes, minimum: 1), name)
      }
      guard fields.has("channels") else { return text("channel", in: fields).map(Choice.channel) }
      return fields.object("channels") { text("type", in: $0).map(Choice.type) }.value
    }.value
    settings = RenderSettings(reading: fields)
    if settings.shape != .requests(settings.shape.payloadForm) {
      fields.refuse(.unknownValue, at: "shape", "Channels get `requests`.")
    }
    guard let message, let choice else { return nil }
    self.message = message
    self.choice = choice
  }
}
