public import APNs
import Localization

/// The texts of a notification as a person sees them; nil is nothing there.
public struct ShownAlert: Sendable, Hashable {
  /// The title.
  public var title: String?
  /// The second line.
  public var subtitle: String?
  /// The text proper.
  public var body: String?

  /// The texts of an alert.
  public init(title: String? = nil, subtitle: String? = nil, body: String? = nil) {
    self.title = title
    self.subtitle = subtitle
    self.body = body
  }

  /// The text of a part.
  public subscript(part: AlertPart) -> String? {
    switch part {
    case .title: title
    case .subtitle: subtitle
    case .body: body
    }
  }
}

/// What a device makes of a payload by itself, for each text of the alert:
///
/// 1. Without a key, or when the app's strings cannot be opened: the literal as it is.
/// 2. With a key: its text in the app's `Localizable`, else the literal, else the key itself. Only
///    the localization that the bundle picks is searched.
/// 3. With arguments, `LocArgsFormatter` runs over that, whichever it was; without any,
///    placeholders and `%%` stay as they are.
///
/// The payload counts as a device reads it, see `Payload.asSeenByDevice`. An entry that varies by
/// number is found as its format, so that `%#@count@` is shown as `@count@`; of one that varies by
/// device or width no source tells, and it is taken as an iPhone's.
/// Source: observed behaviour of the UserNotifications framework.
public struct DeviceSimulator: Sendable {
  let app: CatalogView?

  /// A device.
  /// - Parameter app: the strings of its app, in the order of its languages; nil when there are
  ///   none to open.
  public init(app: CatalogView?) {
    self.app = app
  }

  /// What the device shows.
  public func shown(by payload: Payload) -> ShownAlert {
    switch payload.asSeenByDevice().aps?.alert {
    case nil: ShownAlert()
    case .text(let body): ShownAlert(body: body)
    case .object(let alert):
      ShownAlert(
        title: text(alert.title, key: alert.titleLocKey, alert.titleLocArgs),
        subtitle: text(alert.subtitle, key: alert.subtitleLocKey, alert.subtitleLocArgs),
        body: text(alert.body, key: alert.locKey, alert.locArgs))
    }
  }

  private func text(_ literal: String?, key: String?, _ arguments: [String]?) -> String? {
    guard let app, let key else { return literal }
    var text = literal ?? key
    let found = Lookup(app.catalog).deviceResult(for: key, chain: app.chain)
    switch found {
    case .entry(let entry, _), .uncertain(let entry?, _):
      text = entry.format(for: .iphone).format.text
    case .uncertain(nil, _), .keyMissing, .tableMissing: break
    }
    let shown = LocArgsFormatter.format(text, arguments: arguments ?? [])
    return shown.isEmpty ? nil : shown
  }
}
