public import JSON

/// The value of `alert`: one text, or the dictionary that Apple recommends.
public enum AlertForm: Sendable, Hashable {
  /// A string, which is the body and nothing else.
  case text(String)
  /// An object.
  case object(Alert)
}

/// The keys of the `alert` dictionary (Apple, "Generating a remote notification", table 2).
///
/// Each text comes literally, or as a key into the app's own `Localizable` table with string
/// arguments, or both: then the literal is what a device shows that does not have the key.
public struct Alert: Sendable, Hashable {
  /// `title`, from iOS 8.2.
  public var title: String?
  /// `subtitle`, from iOS 10.
  public var subtitle: String?
  /// `body`.
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
  /// Members that have no typed place: unknown names, `null`s, values of another type.
  public var rest: [String: JSONValue] = [:]

  /// An alert without any key.
  public init() {}

  /// Takes the typed members out of an object; what does not fit stays in ``rest``.
  public init(_ object: [String: JSONValue]) {
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
    rest = members.rest
  }

  /// Whether a device has something to show: a title, subtitle or body, literally or by key.
  ///
  /// A device treats a string of length zero as absent.
  public var isVisible: Bool {
    [title, subtitle, body, titleLocKey, subtitleLocKey, locKey].contains { $0?.isEmpty == false }
  }

  /// Writes the dictionary, members in the order of their names.
  public func write(to writer: inout JSONWriter) { members.write(to: &writer) }

  var members: JSONMemberList {
    var list = JSONMemberList(capacity: 8)
    list.add("action", action)
    list.add("action-loc-key", actionLocKey)
    list.add("body", body)
    list.add("launch-image", launchImage)
    list.add("loc-args", locArgs)
    list.add("loc-key", locKey)
    list.add("subtitle", subtitle)
    list.add("subtitle-loc-args", subtitleLocArgs)
    list.add("subtitle-loc-key", subtitleLocKey)
    list.add("summary-arg", summaryArg)
    list.add("summary-arg-count", summaryArgCount)
    list.add("title", title)
    list.add("title-loc-args", titleLocArgs)
    list.add("title-loc-key", titleLocKey)
    list.add(rest: rest)
    return list
  }
}
