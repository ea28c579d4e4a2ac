public import JSON

/// How insistently the system presents a notification, from iOS 15.
public enum InterruptionLevel: String, Sendable, Hashable, CaseIterable {
  /// Into the list, without lighting the screen.
  case passive
  /// As ever; what a device assumes when nothing is said.
  case active
  /// Breaks through Focus; the app needs the Time Sensitive capability.
  case timeSensitive = "time-sensitive"
  /// Breaks through the mute switch; the app needs the critical-alerts entitlement.
  case critical
}

/// What becomes of a Live Activity.
public enum ActivityEvent: String, Sendable, Hashable, CaseIterable {
  /// It begins, from iOS 17.2.
  case start
  /// It shows something else.
  case update
  /// It is over.
  case end
}

/// The keys of the `aps` dictionary (Apple, "Generating a remote notification", table 1; Live
/// Activity keys from "Starting and updating Live Activities with push notifications").
public struct APS: Sendable, Hashable {
  /// `alert`.
  public var alert: AlertForm?
  /// `badge`: 0 removes the badge, absent leaves it.
  public var badge: Int?
  /// The word that is written instead of ``badge``, see `JSONGap`.
  public var badgeGap: Int?
  /// `sound`.
  public var sound: Sound?
  /// `thread-id`: notifications with the same one are grouped.
  public var threadID: String?
  /// `category`: identifier of a category that the app registered.
  public var category: String?
  /// `content-available`: 1 wakes the app in the background.
  public var contentAvailable: Int?
  /// `mutable-content`: 1 runs the app's notification service extension first.
  public var mutableContent: Int?
  /// `target-content-id`: the window to bring forward.
  public var targetContentID: String?
  /// `interruption-level`, from iOS 15.
  public var interruptionLevel: InterruptionLevel?
  /// `relevance-score`: 0 to 1 sorts the summary, from iOS 15.
  public var relevanceScore: Double?
  /// `filter-criteria`: matched against the current Focus, from iOS 16.
  public var filterCriteria: String?
  /// `timestamp` of a Live Activity update, Unix seconds.
  public var timestamp: Int?
  /// `event` of a Live Activity.
  public var event: ActivityEvent?
  /// `content-state` of a Live Activity.
  public var contentState: JSONObject?
  /// `stale-date` of a Live Activity, Unix seconds.
  public var staleDate: Int?
  /// `dismissal-date` of a Live Activity, Unix seconds.
  public var dismissalDate: Int?
  /// `attributes-type` of a Live Activity that starts.
  public var attributesType: String?
  /// `attributes` of a Live Activity that starts.
  public var attributes: JSONObject?
  /// `input-push-channel` of a Live Activity that starts, from iOS 18.
  public var inputPushChannel: String?
  /// `input-push-token` of a Live Activity that starts, from iOS 18.
  public var inputPushToken: Int?
  /// `content-changed` of a push that has something made anew, such as `widgets`.
  public var contentChanged: Bool?
  /// `url-args` of a Safari website push.
  public var urlArgs: [String]?
  /// Members that have no typed place: unknown names, values of another type. Devices ignore them.
  public var rest: JSONObject = [:]

  /// An `aps` without any key.
  public init() {}

  /// Takes the typed members out of an object; what does not fit stays in ``rest``.
  public init(_ object: JSONObject) {
    var members = JSONMembers(rest: object)
    alert =
      members.string("alert").map(AlertForm.text)
      ?? members.object("alert").map { .object(Alert($0)) }
    badge = members.integer("badge")
    sound =
      members.string("sound").map(Sound.named)
      ?? members.object("sound").map { .critical(CriticalSound($0)) }
    threadID = members.string("thread-id")
    category = members.string("category")
    contentAvailable = members.integer("content-available")
    mutableContent = members.integer("mutable-content")
    targetContentID = members.string("target-content-id")
    interruptionLevel = members.word("interruption-level")
    relevanceScore = members.number("relevance-score")
    filterCriteria = members.string("filter-criteria")
    timestamp = members.integer("timestamp")
    event = members.word("event")
    contentState = members.object("content-state")
    staleDate = members.integer("stale-date")
    dismissalDate = members.integer("dismissal-date")
    attributesType = members.string("attributes-type")
    attributes = members.object("attributes")
    inputPushChannel = members.string("input-push-channel")
    inputPushToken = members.integer("input-push-token")
    contentChanged = members.flag("content-changed")
    urlArgs = members.strings("url-args")
    rest = members.rest
  }

  /// The members that only the start of a Live Activity has.
  var startMembers: [String] {
    var keys: [String] = []
    if attributes != nil { keys.append("attributes") }
    if attributesType != nil { keys.append("attributes-type") }
    if inputPushChannel != nil { keys.append("input-push-channel") }
    if inputPushToken != nil { keys.append("input-push-token") }
    return keys
  }

  /// The members that only a Live Activity has.
  var activityMembers: [String] {
    var keys = startMembers
    if contentState != nil { keys.append("content-state") }
    if dismissalDate != nil { keys.append("dismissal-date") }
    if event != nil { keys.append("event") }
    if staleDate != nil { keys.append("stale-date") }
    if timestamp != nil { keys.append("timestamp") }
    return keys
  }

  /// The members in the order of their names, as they are written.
  var members: JSONMemberList {
    var list = JSONMemberList(capacity: 8)
    switch alert {
    case .text(let text): list.add("alert", text)
    case .object(let alert): list.add("alert", alert.members)
    case nil: break
    }
    list.add("attributes", attributes)
    list.add("attributes-type", attributesType)
    if let badgeGap {
      list.add("badge", gap: badgeGap)
    } else {
      list.add("badge", badge)
    }
    list.add("category", category)
    list.add("content-available", contentAvailable)
    list.add("content-changed", contentChanged)
    list.add("content-state", contentState)
    list.add("dismissal-date", dismissalDate)
    list.add("event", event?.rawValue)
    list.add("filter-criteria", filterCriteria)
    list.add("input-push-channel", inputPushChannel)
    list.add("input-push-token", inputPushToken)
    list.add("interruption-level", interruptionLevel?.rawValue)
    list.add("mutable-content", mutableContent)
    list.add("relevance-score", relevanceScore)
    switch sound {
    case .named(let name): list.add("sound", name)
    case .critical(let sound): list.add("sound", sound.members)
    case nil: break
    }
    list.add("stale-date", staleDate)
    list.add("target-content-id", targetContentID)
    list.add("thread-id", threadID)
    list.add("timestamp", timestamp)
    list.add("url-args", urlArgs)
    list.add(rest: rest)
    return list
  }
}

/// The value of `sound`.
public enum Sound: Sendable, Hashable {
  /// A file in the app's bundle or its `Library/Sounds`, or `default`.
  case named(String)
  /// The dictionary form, which only critical alerts may use.
  case critical(CriticalSound)
}

/// The keys of the `sound` dictionary (Apple, "Generating a remote notification", table 3).
public struct CriticalSound: Sendable, Hashable {
  /// `critical`: 1 makes the alert critical; the app needs the entitlement and the user's consent.
  public var critical: Int?
  /// `name`: a file name or `default`.
  public var name: String?
  /// `volume`: 0 (silent) to 1 (full).
  public var volume: Double?
  /// Members that have no typed place.
  public var rest: JSONObject = [:]

  /// A critical sound.
  public init(critical: Int? = 1, name: String? = "default", volume: Double? = nil) {
    self.critical = critical
    self.name = name
    self.volume = volume
  }

  /// Takes the typed members out of an object; what does not fit stays in ``rest``.
  public init(_ object: JSONObject) {
    var members = JSONMembers(rest: object)
    critical = members.integer("critical")
    name = members.string("name")
    volume = members.number("volume")
    rest = members.rest
  }

  /// Writes the dictionary, members in the order of their names.
  public func write(to writer: inout JSONWriter) { members.write(to: &writer) }

  var members: JSONMemberList {
    var list = JSONMemberList(capacity: 3)
    list.add("critical", critical)
    list.add("name", name)
    list.add("volume", volume)
    list.add(rest: rest)
    return list
  }
}
