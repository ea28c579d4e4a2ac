public import APNs
import JSON
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
/// A text or key of no length is none. Arguments are texts; of a number the device takes the plain
/// digits, of anything else nothing. An entry that varies by number is found as its format, so that
/// `%#@count@` is shown as `@count@`; of one that varies by device or width no source tells, and it
/// is taken as an iPhone's.
/// Source: observed behaviour of the UserNotifications framework.
public struct DeviceSimulator: Sendable {
  private let app: CatalogView?

  /// A device.
  /// - Parameter app: the strings of its app, in the order of its languages; nil when there are
  ///   none to open.
  public init(app: CatalogView?) {
    self.app = app
  }

  /// What the device shows.
  public func shown(by payload: Payload) -> ShownAlert {
    switch payload.aps?.alert {
    case nil: ShownAlert()
    case .text(let body): ShownAlert(body: body.isEmpty ? nil : body)
    case .object(let alert):
      ShownAlert(
        title: text(
          alert.title, key: alert.titleLocKey,
          arguments: alert.titleLocArgs ?? alert.loose("title-loc-args")),
        subtitle: text(
          alert.subtitle, key: alert.subtitleLocKey,
          arguments: alert.subtitleLocArgs ?? alert.loose("subtitle-loc-args")),
        body: text(
          alert.body, key: alert.locKey, arguments: alert.locArgs ?? alert.loose("loc-args")))
    }
  }

  private func text(_ literal: String?, key: String?, arguments: [String]) -> String? {
    var text = literal ?? ""
    if let app, let key, !key.isEmpty {
      let found = Lookup(app.catalog).deviceResult(for: key, chain: app.chain)
      if case .entry(let entry, _) = found {
        text = entry.format(for: .iphone).format.text
      } else if text.isEmpty {
        text = key
      }
      text = LocArgsFormatter.format(text, arguments: arguments)
    }
    return text.isEmpty ? nil : text
  }
}

extension Alert {
  /// Arguments that are not all texts, as a device reads them.
  fileprivate func loose(_ name: String) -> [String] {
    guard case .array(let elements) = rest[name] else { return [] }
    return elements.map { element in
      switch element {
      case .string(let text): return text
      case .integer, .double:
        var writer = JSONWriter()
        writer.value(element)
        return writer.text
      case .null, .bool, .array, .object: return ""
      }
    }
  }
}
