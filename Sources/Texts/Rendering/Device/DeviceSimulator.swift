public import APNs
import Localization

/// The texts of a notification as a person sees them; nil is nothing there.
public struct ShownAlert: Sendable, Hashable {
  public var title: String?
  /// The second line.
  public var subtitle: String?
  /// The text proper.
  public var body: String?

  public internal(set) subscript(part: AlertPart) -> String? {
    get {
      switch part {
      case .title: title
      case .subtitle: subtitle
      case .body: body
      }
    }
    set {
      switch part {
      case .title: title = newValue
      case .subtitle: subtitle = newValue
      case .body: body = newValue
      }
    }
  }
}

/// What a device makes of a payload by itself, for each text of the alert:
///
/// 1. Without a key, or when the app's strings cannot be opened: the literal as it is.
/// 2. With a key: its text in the app's `Localizable`, else the literal, else the key itself. Only
///    the localization that the bundle picks is searched. No source tells what a Live Activity's
///    alert shows for a key that is not there: nothing is shown here.
/// 3. With arguments, `LocArgsFormatter` runs over the text of step 1 or 2; without any,
///    placeholders and `%%` stay as they are.
///
/// The payload counts as a device reads it, see `Payload.asSeenByDevice`. An entry that varies by
/// number is found as its format, so that `%#@count@` is shown as `@count@`. No source tells what
/// is shown of an entry that varies by device or width: it is taken as on an iPhone.
/// Source: observed behaviour of the UserNotifications framework.
public struct DeviceSimulator: Sendable {
  /// The strings of its app, in the order of its languages; nil when there are none to open.
  let app: CatalogView?

  public func shown(by payload: Payload) -> ShownAlert {
    var shown = ShownAlert()
    for text in SeenText.all(of: payload) { shown[text.part] = self.text(text) }
    return shown
  }

  private func text(_ seen: SeenText) -> String? {
    guard let app, let key = seen.key else { return seen.literal }
    let text: String
    switch Lookup(app.catalog).deviceResult(for: key, chain: app.chain) {
    case .entry(let entry, _), .uncertain(let entry?, _):
      text = entry.format(for: .iphone)?.text ?? seen.literal ?? key
    case .uncertain(nil, _), .keyMissing, .tableMissing:
      if seen.isOfActivity { return nil }
      text = seen.literal ?? key
    }
    let shown = LocArgsFormatter.format(text, arguments: seen.arguments)
    return shown.isEmpty ? nil : shown
  }
}
