import Foundation

/// The strings of the app, by whose keys a payload may name its texts.
public struct NotificationStrings: Sendable {
  private let text: @Sendable (String) -> String?

  /// The strings of a bundle, in the language that the system chose for the app.
  ///
  /// - Parameters:
  ///   - bundle: the bundle; the system itself only looks into the main one.
  ///   - table: the name of the table; the system itself only looks into `Localizable`.
  public init(bundle: Bundle = .main, table: String = "Localizable") {
    self.init { key in
      // What no table has. It has no letters, as a setting of Xcode shows missing texts in
      // capitals.
      let missing = "\u{10FFFD}"
      let text = bundle.localizedString(forKey: key, value: missing, table: table)
      return text == missing ? nil : text
    }
  }

  /// Strings from elsewhere.
  ///
  /// - Parameter text: the text of a key; `nil` if there is none.
  public init(_ text: @escaping @Sendable (_ key: String) -> String?) {
    self.text = text
  }

  /// The texts of an alert as a device shows them, each empty if there is none.
  public func texts(of alert: RemotePayload.Alert) -> (
    title: String, subtitle: String, body: String
  ) {
    (
      text(alert.title, key: alert.titleLocKey, alert.object["title-loc-args"]),
      text(alert.subtitle, key: alert.subtitleLocKey, alert.object["subtitle-loc-args"]),
      text(alert.body, key: alert.locKey, alert.object["loc-args"])
    )
  }

  /// A text as a device shows it (docs/apple.md 4.2): the text of its key; without that the literal
  /// beside it; without that the key itself. With arguments, whichever it is is filled.
  ///
  /// - Parameters:
  ///   - literal: the text beside the key; `nil` and empty are none.
  ///   - key: the key; `nil` and empty are none. Without one the literal is shown as it is.
  ///   - arguments: the arguments; without any, placeholders stay as they are.
  public func text(_ literal: String?, key: String?, arguments: [String] = []) -> String {
    guard let key, !key.isEmpty else { return literal ?? "" }
    let fallback = literal.flatMap { $0.isEmpty ? nil : $0 } ?? key
    return ArgumentFormatter.filled(text(key) ?? fallback, with: arguments)
  }

  private func text(_ literal: String?, key: String?, _ arguments: PayloadValue?) -> String {
    let elements = arguments?.array ?? []
    return text(literal, key: key, arguments: elements.map(Self.argument))
  }

  /// An argument: a text or a number; anything else is the empty text, so that the others keep
  /// their places (docs/apple.md 1.4).
  private static func argument(_ value: PayloadValue) -> String {
    switch value {
    case .string(let text): text
    case .integer(let number): String(number)
    case .longInteger(let number): number.description
    case .double(let number): String(number)
    case .null, .bool, .array, .object: ""
    }
  }
}
