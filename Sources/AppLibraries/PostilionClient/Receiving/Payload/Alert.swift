extension RemotePayload {
  /// The value of `alert`: an object of texts, or one text, which is the body (docs/apple.md 1.2).
  ///
  /// Each text comes as it is, or as a key into the app's own `Localizable` table with arguments,
  /// or both: then the text is for an app that does not have the key. ``NotificationStrings`` makes
  /// the text that is shown.
  public struct Alert: Sendable, Hashable {
    /// `title`.
    public var title: String?
    /// `subtitle`.
    public var subtitle: String?
    /// `body`; also an `alert` that is one text.
    public var body: String?
    /// `title-loc-key`: the key of the title.
    public var titleLocKey: String?
    /// `title-loc-args`: the arguments of the title.
    public var titleLocArgs: [String]?
    /// `subtitle-loc-key`: the key of the subtitle.
    public var subtitleLocKey: String?
    /// `subtitle-loc-args`: the arguments of the subtitle.
    public var subtitleLocArgs: [String]?
    /// `loc-key`: the key of the body.
    public var locKey: String?
    /// `loc-args`: the arguments of the body.
    public var locArgs: [String]?
    /// `launch-image`: the name of an image or storyboard that is shown while the app starts.
    public var launchImage: String?
    /// `action-loc-key`: the key of the old button's label; without effect from iOS 10 on.
    public var actionLocKey: String?
    /// `action`: the label of a button, of notifications from websites only.
    public var action: String?
    /// `summary-arg`: without effect from iOS 15 on.
    public var summaryArg: String?
    /// `summary-arg-count`: without effect from iOS 15 on.
    public var summaryArgCount: Int?
    /// Members without a typed place: unknown names, and values of another type, such as arguments
    /// that are not all texts.
    public var rest: [String: PayloadValue] = [:]
    /// Whether it came as one text; it is written as one while ``body`` is all it has.
    public private(set) var isText = false

    /// An alert without any text.
    public init() {}

    /// An alert of one text, as which it is also written.
    public init(_ body: String) {
      self.body = body
      isText = true
    }

    /// Takes the typed members out of an object; what does not fit stays in ``rest``.
    public init(_ object: [String: PayloadValue]) {
      var members = PayloadMembers(object)
      title = members.text("title")
      subtitle = members.text("subtitle")
      body = members.text("body")
      titleLocKey = members.text("title-loc-key")
      titleLocArgs = members.texts("title-loc-args")
      subtitleLocKey = members.text("subtitle-loc-key")
      subtitleLocArgs = members.texts("subtitle-loc-args")
      locKey = members.text("loc-key")
      locArgs = members.texts("loc-args")
      launchImage = members.text("launch-image")
      actionLocKey = members.text("action-loc-key")
      action = members.text("action")
      summaryArg = members.text("summary-arg")
      summaryArgCount = members.integer("summary-arg-count")
      rest = members.rest
    }

    /// Reads a text or an object; `nil` for anything else.
    init?(_ value: PayloadValue) {
      switch value {
      case .string(let text): self.init(text)
      case .object(let object): self.init(object)
      default: return nil
      }
    }

    /// The alert as it is written.
    var value: PayloadValue {
      let object = object
      if isText, object.count == 1, let body { return .string(body) }
      return .object(object)
    }

    /// The members as one object.
    public var object: [String: PayloadValue] {
      var object = rest
      object.put("title", title)
      object.put("subtitle", subtitle)
      object.put("body", body)
      object.put("title-loc-key", titleLocKey)
      object.put("title-loc-args", titleLocArgs)
      object.put("subtitle-loc-key", subtitleLocKey)
      object.put("subtitle-loc-args", subtitleLocArgs)
      object.put("loc-key", locKey)
      object.put("loc-args", locArgs)
      object.put("launch-image", launchImage)
      object.put("action-loc-key", actionLocKey)
      object.put("action", action)
      object.put("summary-arg", summaryArg)
      object.put("summary-arg-count", summaryArgCount)
      return object
    }
  }
}
