import APNs
import Localization

/// Puts an alert together, with keys or with text.
struct AlertComposer {
  let mode: Mode
  let literalFallback: Bool
  private var alert = Alert()
  /// Whether there is anything to show.
  private(set) var hasText = false
  /// The localization of the body, or of the first text without one.
  private(set) var language: String?
  /// The localizations that ``language`` was chosen from.
  private(set) var available: [String] = []

  init(mode: Mode, literalFallback: Bool) {
    self.mode = mode
    self.literalFallback = literalFallback
  }

  /// Adds a part with what the server made of it, if it made anything.
  mutating func add(_ part: AlertPart, _ source: TextSource, from renderer: inout TextRenderer) {
    let text = renderer.text(part, source)
    if let text, let localization = text.localization, language == nil || part == .body {
      language = localization
      available = text.available
    }
    guard mode == .client, case .key(let keyed) = source else {
      guard let text else { return }
      set(part, literal: text.text)
      return
    }
    let arguments = renderer.argumentTexts(part, keyed, of: text)
    set(part, key: keyed.key, arguments: arguments.isEmpty ? nil : arguments)
    if literalFallback, let text {
      // A device runs its formatter over the fallback too, but only when there are arguments.
      set(part, literal: arguments.isEmpty ? text.text : LocArgsFormatter.escapedLiteral(text.text))
    }
  }

  /// The value of `alert`; nil when there is nothing to show.
  func form(of message: MessageAlert?) -> AlertForm? {
    guard hasText, let message else { return nil }
    if message.usesStringForm, mode != .client, let body = alert.body { return .text(body) }
    var alert = alert
    alert.launchImage = message.launchImage
    alert.actionLocKey = message.actionKey
    return .object(alert)
  }

  private mutating func set(_ part: AlertPart, literal: String) {
    hasText = true
    switch part {
    case .title: alert.title = literal
    case .subtitle: alert.subtitle = literal
    case .body: alert.body = literal
    }
  }

  private mutating func set(_ part: AlertPart, key: String, arguments: [String]?) {
    hasText = true
    switch part {
    case .title:
      alert.titleLocKey = key
      alert.titleLocArgs = arguments
    case .subtitle:
      alert.subtitleLocKey = key
      alert.subtitleLocArgs = arguments
    case .body:
      alert.locKey = key
      alert.locArgs = arguments
    }
  }
}
