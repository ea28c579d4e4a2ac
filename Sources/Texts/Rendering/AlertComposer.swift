import APNs
import Localization

/// Puts an alert together, with keys or with text.
struct AlertComposer {
  /// One part: a text, a key, or a key with the text in case that a device does not find it.
  private struct Piece {
    let part: AlertPart
    /// The text as it is shown.
    var finished: String?
    var key: String?
    var arguments: [String] = []

    /// How much of a payload the text takes: a device runs its formatter over it too, but only when
    /// there are arguments.
    var fit: TextFit { TextFit(doublesPercent: !arguments.isEmpty) }

    /// The text as it is written.
    var writtenText: String? {
      arguments.isEmpty ? finished : finished.map(LocArgsFormatter.escapedLiteral)
    }
  }

  let mode: Mode
  let literalFallback: Bool
  private var pieces: [Piece] = []
  /// The localization of the body, or of the first text without one.
  private(set) var language: String?
  /// The localizations that ``language`` was chosen from.
  private(set) var available: [String] = []

  init(mode: Mode, literalFallback: Bool) {
    self.mode = mode
    self.literalFallback = literalFallback
    pieces.reserveCapacity(AlertPart.allCases.count)
  }

  /// Whether there is anything to show.
  var hasText: Bool { !pieces.isEmpty }

  /// Adds a part, with the text that the server made of it, if it made one.
  mutating func add(_ part: AlertPart, _ source: TextSource, from renderer: inout TextRenderer) {
    let text = renderer.text(part, source)
    if let text, let localization = text.localization, language == nil || part == .body {
      language = localization
      available = text.available
    }
    if mode == .client, case .key(let keyed) = source {
      pieces.append(
        Piece(
          part: part, finished: literalFallback ? text?.text : nil, key: keyed.key,
          arguments: renderer.argumentTexts(part, keyed, of: text)))
    } else if let text {
      pieces.append(Piece(part: part, finished: text.text))
    }
  }

  /// Cuts texts until a payload is so many bytes shorter: the body first, then the subtitle, then
  /// the title; and tells which were cut.
  mutating func shorten(by bytes: Int) -> [RenderProblem] {
    var excess = bytes
    var problems: [RenderProblem] = []
    for part in [AlertPart.body, .subtitle, .title] where excess > 0 {
      guard let index = pieces.firstIndex(where: { $0.part == part }),
        let finished = pieces[index].finished
      else { continue }
      let fit = pieces[index].fit
      let length = fit.bytes(of: finished)
      let budget = max(length - excess, TextFit.ellipsisBytes)
      guard budget < length, let cut = fit.fitted(finished, into: budget) else { continue }
      pieces[index].finished = cut
      excess -= length - fit.bytes(of: cut)
      problems.append(
        RenderProblem(
          .textTruncated, detail: "\(finished.utf8.count) bytes cut to \(cut.utf8.count)",
          part: part))
    }
    return problems
  }

  /// The value of `alert`; nil when there is nothing to show.
  func form(in frame: AlertFrame?) -> AlertForm? {
    guard hasText, let frame else { return nil }
    if frame.isOfActivity { return .object(activityAlert(frame)) }
    if frame.usesStringForm, mode != .client, let body = pieces.first?.finished {
      return .text(body)
    }
    var alert = Alert()
    for piece in pieces {
      let arguments = piece.arguments.isEmpty ? nil : piece.arguments
      switch piece.part {
      case .title:
        alert.title = piece.writtenText
        alert.titleLocKey = piece.key
        alert.titleLocArgs = arguments
      case .subtitle:
        alert.subtitle = piece.writtenText
        alert.subtitleLocKey = piece.key
        alert.subtitleLocArgs = arguments
      case .body:
        alert.body = piece.writtenText
        alert.locKey = piece.key
        alert.locArgs = arguments
      }
    }
    alert.launchImage = frame.launchImage
    alert.actionLocKey = frame.actionKey
    return .object(alert)
  }
}

extension AlertComposer {
  /// The alert of a Live Activity: a title or body is a text, or an object with its key.
  private func activityAlert(_ frame: AlertFrame) -> Alert {
    var alert = Alert()
    for piece in pieces {
      let keyed = piece.key.map {
        ActivityText(locKey: $0, locArgs: piece.arguments.isEmpty ? nil : piece.arguments)
      }
      switch piece.part {
      case .title:
        (alert.title, alert.localizedTitle) = (keyed == nil ? piece.finished : nil, keyed)
      case .subtitle: break
      case .body: (alert.body, alert.localizedBody) = (keyed == nil ? piece.finished : nil, keyed)
      }
    }
    alert.sound = frame.sound
    return alert
  }
}

/// The members of an alert beside its texts, with the values of parameters in them.
struct AlertFrame {
  /// File name of the image that is shown while the app starts.
  let launchImage: String?
  /// Key of the old action button's label.
  let actionKey: String?
  /// Whether `alert` is written as a string, which a body alone can be.
  let usesStringForm: Bool
  /// Whether the alert belongs to a Live Activity, whose keys stand inside `title` and `body`.
  let isOfActivity: Bool
  /// The sound of an activity's alert.
  let sound: String?

  init(_ alert: MessageAlert, _ arguments: Arguments, _ push: SystemPush?) {
    isOfActivity = push != nil
    sound = push?.sound
    launchImage = arguments.text(alert.launchImage)
    actionKey = arguments.text(alert.actionKey)
    usesStringForm = alert.usesStringForm
  }
}
