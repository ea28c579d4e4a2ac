public import JSON

/// The value of `alert`: one text, or the dictionary that Apple recommends.
public enum AlertForm: Sendable, Hashable {
  /// A string, which is the body and nothing else.
  case text(String)
  /// An object.
  case object(Alert)

  /// Whether a device has something to show. A device treats a string of length zero as absent.
  var isVisible: Bool {
    switch self {
    case .text(let text): !text.isEmpty
    case .object(let alert): alert.isVisible
    }
  }
}

/// A title or body of a Live Activity's alert by key, where another alert has `title-loc-key`.
public struct ActivityText: Sendable, Hashable {
  /// `loc-key`: key into the app's own `Localizable` table.
  public var locKey: String?
  /// `loc-args`, only together with its key.
  public var locArgs: [String]?
  /// Members that have no typed place.
  public var rest: JSONObject = [:]

  public init(locKey: String, locArgs: [String]? = nil) {
    self.locKey = locKey
    self.locArgs = locArgs
  }

  /// Takes the typed members out of an object; members that do not fit stay in ``rest``.
  public init(_ object: JSONObject) {
    var members = JSONMembers(rest: object)
    locKey = members.string("loc-key")
    locArgs = members.strings("loc-args")
    rest = members.rest
  }

  var members: JSONMemberList {
    var list = JSONMemberList(capacity: 2)
    list.add("loc-args", locArgs)
    list.add("loc-key", locKey)
    list.add(rest: rest)
    return list
  }
}

/// The keys of the `alert` dictionary (Apple, "Generating a remote notification", table 2).
///
/// Each text comes literally, or as a key into the app's own `Localizable` table with string
/// arguments, or both. Then a device that does not have the key shows the literal.
public struct Alert: JSONWritable, Sendable, Hashable {
  /// `title`, from iOS 8.2.
  public var title: String?
  /// `subtitle`, from iOS 10.
  public var subtitle: String?
  public var body: String?
  /// `title-loc-key`, from iOS 8.2.
  public var titleLocKey: String?
  /// `title-loc-args`, only together with its key.
  public var titleLocArgs: [String]?
  /// `subtitle-loc-key`, from iOS 10.
  public var subtitleLocKey: String?
  /// `subtitle-loc-args`, only together with its key.
  public var subtitleLocArgs: [String]?
  /// `loc-key`: the key of the body.
  public var locKey: String?
  /// `loc-args`, only together with `loc-key`.
  public var locArgs: [String]?
  /// `launch-image`: file name of the image shown while the app starts.
  public var launchImage: String?
  /// `action`: label of the action button, Safari website push only.
  public var action: String?
  /// `action-loc-key`: key of the old "View" button's label; without effect from iOS 10.
  public var actionLocKey: String?
  /// `summary-arg`: ignored from iOS 15.
  public var summaryArg: String?
  /// `summary-arg-count`: ignored from iOS 15.
  public var summaryArgCount: Int?
  /// `title` of a Live Activity's alert by key; not written when there is a ``title``.
  public var localizedTitle: ActivityText?
  /// `body` of a Live Activity's alert by key; not written when there is a ``body``.
  public var localizedBody: ActivityText?
  /// `sound` of a Live Activity's alert, which other notifications have beside the alert.
  public var sound: String?
  /// Members that have no typed place: unknown names, `null`s, values of another type.
  public var rest: JSONObject = [:]

  public init() {}

  /// Takes the typed members out of an object; members that do not fit stay in ``rest``.
  public init(_ object: JSONObject) {
    var members = JSONMembers(rest: object)
    title = members.string("title")
    subtitle = members.string("subtitle")
    body = members.string("body")
    titleLocKey = members.string("title-loc-key")
    titleLocArgs = members.strings("title-loc-args")
    subtitleLocKey = members.string("subtitle-loc-key")
    subtitleLocArgs = members.strings("subtitle-loc-args")
    locKey = members.string("loc-key")
    locArgs = members.strings("loc-args")
    launchImage = members.string("launch-image")
    action = members.string("action")
    actionLocKey = members.string("action-loc-key")
    summaryArg = members.string("summary-arg")
    summaryArgCount = members.integer("summary-arg-count")
    localizedTitle = members.object("title").map(ActivityText.init)
    localizedBody = members.object("body").map(ActivityText.init)
    sound = members.string("sound")
    rest = members.rest
  }

  /// Whether a device has something to show: a title, subtitle or body, literally or by key.
  ///
  /// A device treats a string of length zero as absent.
  public var isVisible: Bool {
    body.isShown || title.isShown || subtitle.isShown || hasLocKey
  }

  /// Whether a Live Activity has something to show: a title or body, literally or by key.
  var isVisibleInActivity: Bool {
    title.isShown || body.isShown || (localizedTitle?.locKey).isShown
      || (localizedBody?.locKey).isShown
  }

  /// Whether a text comes by key.
  var hasLocKey: Bool {
    locKey.isShown || titleLocKey.isShown || subtitleLocKey.isShown
      || (localizedBody?.locKey).isShown || (localizedTitle?.locKey).isShown
  }

  /// The members that only a Live Activity's alert has.
  var activityMembers: [String] {
    var keys: [String] = []
    if localizedBody != nil { keys.append("body") }
    if sound != nil { keys.append("sound") }
    if localizedTitle != nil { keys.append("title") }
    return keys
  }

  /// The members that a Live Activity's alert does not have.
  var notificationMembers: [String] {
    let members: [(name: String, isThere: Bool)] = [
      ("action", action != nil), ("action-loc-key", actionLocKey != nil),
      ("launch-image", launchImage != nil), ("loc-args", locArgs != nil),
      ("loc-key", locKey != nil), ("subtitle", subtitle != nil),
      ("subtitle-loc-args", subtitleLocArgs != nil), ("subtitle-loc-key", subtitleLocKey != nil),
      ("summary-arg", summaryArg != nil), ("summary-arg-count", summaryArgCount != nil),
      ("title-loc-args", titleLocArgs != nil), ("title-loc-key", titleLocKey != nil),
    ]
    return members.filter(\.isThere).map(\.name)
  }

  /// Writes the dictionary, members in the order of their names.
  public func write(to writer: inout JSONWriter) { members.write(to: &writer) }

  var members: JSONMemberList {
    var list = JSONMemberList(capacity: 8)
    list.add("action", action)
    list.add("action-loc-key", actionLocKey)
    list.add("body", body)
    if body == nil { list.add("body", localizedBody?.members) }
    list.add("launch-image", launchImage)
    list.add("loc-args", locArgs)
    list.add("loc-key", locKey)
    list.add("sound", sound)
    list.add("subtitle", subtitle)
    list.add("subtitle-loc-args", subtitleLocArgs)
    list.add("subtitle-loc-key", subtitleLocKey)
    list.add("summary-arg", summaryArg)
    list.add("summary-arg-count", summaryArgCount)
    list.add("title", title)
    if title == nil { list.add("title", localizedTitle?.members) }
    list.add("title-loc-args", titleLocArgs)
    list.add("title-loc-key", titleLocKey)
    list.add(rest: rest)
    return list
  }
}

extension String? {
  /// Whether there is a string that is not empty: a device treats an empty one as absent.
  fileprivate var isShown: Bool { self?.isEmpty == false }
}
