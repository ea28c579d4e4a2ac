import APNs

/// A title, subtitle or body as a device reads it in a payload: literally, by key, or both.
///
///     {"title": "Kitchen"}                            every alert
///     {"title-loc-key": "K", "title-loc-args": […]}   that of a notification
///     {"title": {"loc-key": "K", "loc-args": […]}}    that of a Live Activity
struct SeenText {
  let part: AlertPart
  /// The text itself.
  let literal: String?
  /// Its key in the app's `Localizable`.
  let key: String?
  /// The values of the text's placeholders; none without a key.
  let arguments: [String]
  /// Whether its key has the form of Live Activities.
  let isOfActivity: Bool
  /// Where the literal stands, a JSON pointer.
  let literalPlace: String
  /// Where the key stands, a JSON pointer.
  let keyPlace: String

  /// The texts of a payload's alert.
  /// - Parameter place: The place of the payload, a JSON pointer.
  static func all(of payload: Payload, at place: String = "") -> [SeenText] {
    let place = place + "/aps/alert"
    switch payload.asSeenByDevice().aps?.alert {
    case nil: return []
    case .text(let body):
      return [
        SeenText(
          part: .body, literal: body, key: nil, arguments: [], isOfActivity: false,
          literalPlace: place, keyPlace: place)
      ]
    case .object(let alert):
      return [
        SeenText(
          .title, alert.title, alert.titleLocKey, alert.titleLocArgs, alert.localizedTitle, place),
        SeenText(
          .subtitle, alert.subtitle, alert.subtitleLocKey, alert.subtitleLocArgs, nil, place),
        SeenText(.body, alert.body, alert.locKey, alert.locArgs, alert.localizedBody, place),
      ]
    }
  }
}

extension SeenText {
  /// A text of an alert that is an object.
  private init(
    _ part: AlertPart, _ literal: String?, _ key: String?, _ arguments: [String]?,
    _ ofActivity: ActivityText?, _ place: String
  ) {
    let prefix = part == .body ? "" : "\(part.rawValue)-"
    let literalPlace = "\(place)/\(part.rawValue)"
    self.init(
      part: part, literal: literal, key: ofActivity?.locKey ?? key,
      arguments: (ofActivity == nil ? arguments : ofActivity?.locArgs) ?? [],
      isOfActivity: ofActivity != nil, literalPlace: literalPlace,
      keyPlace: ofActivity == nil ? "\(place)/\(prefix)loc-key" : "\(literalPlace)/loc-key")
  }
}
