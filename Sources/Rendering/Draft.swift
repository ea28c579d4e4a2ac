import APNs

/// A notification in one mode, with its texts for one device.
struct Draft {
  let envelope: Envelope
  private(set) var payload: Payload
  /// The payload's bytes.
  private(set) var bytes: [UInt8]
  /// The texts, with the localization that they came from.
  private(set) var alert: AlertComposer
  /// What the texts are short of.
  let textProblems: [RenderProblem]
  /// What else a sender should know.
  private(set) var problems: [RenderProblem]

  /// Whether APNs takes so many bytes.
  var fits: Bool { bytes.count <= envelope.headers.pushType.maximumPayloadBytes }

  /// The last test of the choice of the mode: whether keys and arguments fit.
  var sizeTest: ModeTest {
    ModeTest(test: .argumentsTooLong, passed: fits, saw: "\(bytes.count) bytes")
  }

  /// What APNs or a device would take offence at.
  var payloadProblems: [PayloadProblem] {
    envelope.problems(of: payload, bytes: bytes.count)
  }

  /// Fills an envelope.
  ///
  /// - Parameters:
  ///   - message: what is sent.
  ///   - mode: how the texts get in.
  ///   - envelope: that of the mode.
  ///   - texts: makes them.
  ///   - isPerceived: whether it is for a person, who may have forbidden some of it.
  init(
    _ message: Message, _ mode: Mode, in envelope: Envelope, _ texts: TextRenderer,
    isPerceived: Bool
  ) {
    self.envelope = envelope
    var texts = texts
    alert = AlertComposer(mode: mode, literalFallback: message.literalFallback)
    for (part, source) in message.alert?.texts ?? [] {
      alert.add(part, source, from: &texts)
    }
    textProblems = texts.problems
    payload = envelope.payload
    problems = envelope.problems
    if isPerceived { problems += payload.lowered(to: texts.device.permissions) }
    if mode == .local, let trigger = message.trigger {
      payload.data["trigger"] = trigger.json(texts.arguments, timeZone: texts.timeZone)
    }
    payload.aps?.alert = alert.form(of: message.alert)
    bytes = envelope.encoded(payload)
    if !fits && message.truncation == .truncate {
      problems += alert.shorten(
        by: bytes.count - envelope.headers.pushType.maximumPayloadBytes)
      payload.aps?.alert = alert.form(of: message.alert)
      bytes = envelope.encoded(payload)
    }
  }
}

extension Payload {
  /// Makes an ordinary alert of a critical one for a person who did not allow these.
  fileprivate mutating func lowered(to permissions: Permissions) -> [RenderProblem] {
    guard permissions.criticalAlert == false, let aps else { return [] }
    var lowered = aps
    if case .critical(let sound)? = aps.sound, sound.critical == 1 {
      lowered.sound = .named(sound.name ?? "default")
    }
    if aps.interruptionLevel == .critical { lowered.interruptionLevel = nil }
    guard lowered != aps else { return [] }
    self.aps = lowered
    return [
      RenderProblem(.criticalSoundNotAllowed, detail: "The person did not allow critical alerts.")
    ]
  }
}
