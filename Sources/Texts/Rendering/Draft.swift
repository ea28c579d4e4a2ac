import APNs
import DeviceProfile
import JSON
import Localization

/// A notification in one mode, with its texts for one device.
struct Draft {
  let envelope: Envelope
  var payload: Payload
  /// The texts, with the localization that they came from.
  var alert: AlertComposer
  /// The problems of the texts.
  var textProblems: [RenderProblem]
  /// Whether other words in the gaps would make another text.
  let dependsOnWords: Bool
  /// The localization of the texts in a state, if there are any.
  let stateLanguage: String?
  /// Whether a text of a state was found nowhere.
  let lacksStateText: Bool
  /// What else a sender should know.
  var problems: [RenderProblem]
  /// The payload's bytes, and the gaps in them.
  private(set) var bytes: [UInt8] = []
  private(set) var gaps: [JSONGap] = []
  /// Whether texts had to be cut.
  private(set) var wasCut = false

  /// How many bytes more than APNs takes; negative when it fits.
  var excess: Int { bytes.count - envelope.headers.maximumPayloadBytes }

  /// Whether a part of the alert has no text anywhere.
  var lacksText: Bool {
    textProblems.contains { $0.code == LocalizationProblem.Code.missingKey.rawValue }
  }

  /// The last test of the choice of the mode: whether keys and arguments fit.
  var sizeTest: ModeTest {
    ModeTest(test: .argumentsTooLong, passed: excess <= 0, saw: "\(bytes.count) bytes")
  }

  /// Writes the payload. If it is too long, its texts are cut, if they may be.
  mutating func encode(_ truncation: Truncation, leavingGaps: Bool) {
    write(leavingGaps)
    guard excess > 0 && truncation == .truncate else { return }
    problems += alert.shorten(by: excess)
    wasCut = true
    write(leavingGaps)
  }

  private mutating func write(_ leavesGaps: Bool) {
    payload.aps?.alert = alert.form(in: envelope.frame)
    var writer = JSONWriter(leavesGaps: leavesGaps)
    envelope.write(payload, to: &writer)
    (bytes, gaps) = (writer.bytes, writer.gaps)
  }
}

extension Payload {
  /// Makes an ordinary alert of a critical one for a person who did not allow critical alerts.
  mutating func lower(to permissions: Permissions) -> [RenderProblem] {
    guard permissions.criticalAlert == false, let aps else { return [] }
    var lowered = aps
    if case .critical(let sound)? = aps.sound, sound.critical == 1 {
      lowered.sound = .named(sound.name ?? "default")
    }
    if aps.interruptionLevel == .critical { lowered[.interruptionLevel] = nil }
    guard lowered != aps else { return [] }
    self.aps = lowered
    return [
      RenderProblem(.criticalSoundNotAllowed, detail: "The person did not allow critical alerts.")
    ]
  }
}
