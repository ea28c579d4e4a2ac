/// A kind of notification, with the buttons that the system shows below it: a
/// `UNNotificationCategory` as a value.
///
/// A payload names it in `aps.category`. The app declares all its categories at launch:
///
/// ```swift
/// [
///   NotificationCategory(
///     "order",
///     buttons: [
///       .init("view", title: .key("VIEW_ORDER"), options: .foreground),
///       .init("answer", title: .key("ANSWER"), reply: .init(button: .key("SEND"))),
///     ])
/// ].register()
/// ```
///
/// What the person pressed comes as a ``NotificationAction`` with the identifier of the button.
public struct NotificationCategory: Sendable, Hashable {
  /// What a payload calls it.
  public var identifier: String
  /// The buttons, in their order; the system shows as many as it has room for.
  public var buttons: [Button]
  /// What is shown in place of the text when the person hides previews; the system's own words if
  /// `nil`. Only iOS, macOS and visionOS have it.
  public var hiddenPreview: NotificationText?
  /// The line below a group of these notifications, in which `%u` is their number and `%@` names
  /// them; the system's own words if `nil`. Only iOS, macOS and visionOS have it.
  public var summary: NotificationText?
  /// How the system treats them.
  public var options: Options

  /// A category.
  public init(
    _ identifier: String, buttons: [Button] = [], hiddenPreview: NotificationText? = nil,
    summary: NotificationText? = nil, options: Options = []
  ) {
    self.identifier = identifier
    self.buttons = buttons
    self.hiddenPreview = hiddenPreview
    self.summary = summary
    self.options = options
  }

  /// How the system treats notifications of a category; what a system does not know is left out.
  public struct Options: OptionSet, Sendable, Hashable {
    /// The numbers of Apple's `UNNotificationCategoryOptions`.
    public let rawValue: UInt

    /// Options of these numbers.
    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// The app hears of a dismissal: ``NotificationAction/Kind/dismiss``.
    public static let customDismissAction = Self(rawValue: 1)
    /// They are shown in a car.
    public static let allowInCarPlay = Self(rawValue: 2)
    /// The title is shown even when the person hides previews.
    public static let hiddenPreviewsShowTitle = Self(rawValue: 4)
    /// The subtitle is shown even when the person hides previews.
    public static let hiddenPreviewsShowSubtitle = Self(rawValue: 8)
  }

  /// A button below a notification.
  public struct Button: Sendable, Hashable {
    /// What the app calls it.
    public var identifier: String
    /// What stands on it.
    public var title: NotificationText
    /// The name of a picture of the system (SF Symbols) beside the title.
    public var systemImage: String?
    /// What it does.
    public var options: Options
    /// Asks the person for a text; `nil` if the button asks for none.
    public var reply: Reply?

    /// A button.
    public init(
      _ identifier: String, title: NotificationText, systemImage: String? = nil,
      options: Options = [], reply: Reply? = nil
    ) {
      self.identifier = identifier
      self.title = title
      self.systemImage = systemImage
      self.options = options
      self.reply = reply
    }

    /// What a button does.
    public struct Options: OptionSet, Sendable, Hashable {
      /// The numbers of Apple's `UNNotificationActionOptions`.
      public let rawValue: UInt

      /// Options of these numbers.
      public init(rawValue: UInt) { self.rawValue = rawValue }

      /// The device has to be unlocked.
      public static let authenticationRequired = Self(rawValue: 1)
      /// It destroys something: the title is red.
      public static let destructive = Self(rawValue: 2)
      /// It opens the app.
      public static let foreground = Self(rawValue: 4)
    }

    /// The field in which the person answers.
    public struct Reply: Sendable, Hashable {
      /// What stands on the button that sends the text.
      public var button: NotificationText
      /// What stands in the field while it is empty.
      public var placeholder: NotificationText

      /// A field.
      public init(button: NotificationText, placeholder: NotificationText = "") {
        self.button = button
        self.placeholder = placeholder
      }
    }
  }

  /// The category with all its texts in the language of the app.
  public func localized(_ strings: NotificationStrings = NotificationStrings()) -> Self {
    func localized(_ text: NotificationText) -> NotificationText { .text(text.string(strings)) }
    var category = self
    category.hiddenPreview = hiddenPreview.map(localized)
    category.summary = summary.map(localized)
    category.buttons = buttons.map { button in
      var button = button
      button.title = localized(button.title)
      button.reply = button.reply.map {
        Button.Reply(button: localized($0.button), placeholder: localized($0.placeholder))
      }
      return button
    }
    return category
  }
}

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
