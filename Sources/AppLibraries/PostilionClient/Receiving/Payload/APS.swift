extension RemotePayload {
  /// The keys of `aps` that alerts, silent notifications and calls have (docs/apple.md 1.1).
  ///
  /// Those of Live Activities, widgets and websites stay in ``rest``.
  public struct APS: Sendable, Hashable {
    /// `alert`: what is shown.
    public var alert: Alert?
    /// `badge`: 0 removes the badge, `nil` leaves it alone. A device drops a negative one.
    public var badge: Int?
    /// `sound`: what is heard.
    public var sound: Sound?
    /// `thread-id`: notifications with the same one are grouped.
    public var threadID: String?
    /// `category`: the identifier of a category that the app registered.
    public var category: String?
    /// `content-available`: 1 wakes the app; ``RemotePayload/wakesApp`` reads other forms, too.
    public var contentAvailable: Int?
    /// `mutable-content`: 1 runs the service extension first; ``RemotePayload/isMutable`` reads
    /// other forms, too.
    public var mutableContent: Int?
    /// `target-content-id`: the window to bring to the front.
    public var targetContentID: String?
    /// `interruption-level`; a word that the library does not know stays in ``rest``.
    public var interruptionLevel: InterruptionLevel?
    /// `relevance-score`: 0 to 1 orders the summary of the system.
    public var relevanceScore: Double?
    /// `filter-criteria`: compared with the filter of the current Focus, from iOS 16.
    public var filterCriteria: String?
    /// Members without a typed place: unknown names, and values of another type.
    public var rest: [String: PayloadValue] = [:]

    /// An `aps` without any key.
    public init() {}

    /// Takes the typed members out of an object; what does not fit stays in ``rest``.
    public init(_ object: [String: PayloadValue]) {
      var members = PayloadMembers(object)
      alert = members.take("alert", Alert.init)
      badge = members.integer("badge")
      sound = members.take("sound", Sound.init)
      threadID = members.text("thread-id")
      category = members.text("category")
      contentAvailable = members.integer("content-available")
      mutableContent = members.integer("mutable-content")
      targetContentID = members.text("target-content-id")
      interruptionLevel = members.take("interruption-level") {
        $0.string.flatMap(InterruptionLevel.init)
      }
      relevanceScore = members.number("relevance-score")
      filterCriteria = members.text("filter-criteria")
      rest = members.rest
    }

    /// The members as one object.
    public var object: [String: PayloadValue] {
      var object = rest
      object.put("alert", alert?.value)
      object.put("badge", badge)
      object.put("sound", sound?.value)
      object.put("thread-id", threadID)
      object.put("category", category)
      object.put("content-available", contentAvailable)
      object.put("mutable-content", mutableContent)
      object.put("target-content-id", targetContentID)
      object.put("interruption-level", interruptionLevel?.rawValue)
      object.put("relevance-score", relevanceScore)
      object.put("filter-criteria", filterCriteria)
      return object
    }

    /// A switch as a device reads it, in whatever form it came.
    func flag(_ name: String) -> Bool { object[name]?.isFlagged ?? false }
  }
}
