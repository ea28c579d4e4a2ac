/// A text of the app itself, such as the title of a button.
public enum NotificationText: Sendable, Hashable, ExpressibleByStringLiteral {
  /// The text as it is.
  case text(String)
  /// The text that the app's strings have under a key, with its arguments; without such a text, the
  /// key itself.
  case key(String, arguments: [String] = [])

  /// The text as it is.
  public init(stringLiteral text: String) { self = .text(text) }

  /// The text that is shown.
  public func string(_ strings: NotificationStrings) -> String {
    switch self {
    case .text(let text): text
    case .key(let key, let arguments): strings.text(nil, key: key, arguments: arguments)
    }
  }
}

extension RemotePayload.Alert {
  /// The label of the button that notifications had before iOS 10 (`alertAction`): the title of a
  /// ``NotificationCategory/Button`` that takes its place. `nil` without an ``actionLocKey``.
  public var actionTitle: NotificationText? {
    actionLocKey.flatMap { $0.isEmpty ? nil : .key($0) }
  }
}
