internal import ASCII

/// A member of `aps` (Apple, "Generating a remote notification", table 1; those of Live Activities
/// from "Starting and updating Live Activities with push notifications"). A new one is a case here,
/// with its row in ``rules``.
///
/// Loops over these rows read, write and check payloads, and turn them into what a device sees. In
/// the same way messages read the members that they have themselves. The cases stand in the order
/// of their names. In this order members are written and faults are told.
public enum APSKey: Sendable, Hashable, Comparable, CaseIterable {
  case alert
  /// The values for the Swift type of a Live Activity that starts.
  case attributes
  /// The name of that type.
  case attributesType
  /// The number on the app's icon: 0 removes it, absent leaves it.
  case badge
  /// Identifier of a category that the app registered.
  case category
  /// 1 wakes the app in the background.
  case contentAvailable
  /// Something is to be made anew, such as `widgets`.
  case contentChanged
  /// The state that a Live Activity shows.
  case contentState
  /// When an ended Live Activity disappears.
  case dismissalDate
  /// What becomes of a Live Activity, see ``ActivityEvent``.
  case event
  /// Matched against the current Focus, from iOS 16.
  case filterCriteria
  /// The channel that an activity which starts subscribes to, from iOS 18.
  case inputPushChannel
  /// 1 asks for an update token of the activity that starts, from iOS 18.
  case inputPushToken
  /// How insistently the system presents a notification, from iOS 15.
  case interruptionLevel
  /// 1 runs the app's notification service extension first.
  case mutableContent
  /// 0 to 1 sorts the summary, from iOS 15; any number sorts Live Activities.
  case relevanceScore
  case sound
  /// The time from which a Live Activity is out of date.
  case staleDate
  /// The window to bring forward.
  case targetContentID
  /// Notifications with the same one are grouped.
  case threadID
  /// When the push was made: later ones win.
  case timestamp
  /// Belongs to a Safari website push.
  case urlArgs

  public var rules: APSRules {
    switch self {
    case .alert: APSRules("alert", .alert)
    case .attributes: APSRules("attributes", .object, of: .activity(.start))
    case .attributesType: APSRules("attributes-type", .text, of: .activity(.start))
    case .badge:
      APSRules(
        "badge", .count, isInMessages: true,
        fault: .init(.badgeNegative, "0 or more; 0 removes it"))
    case .category: APSRules("category", .text, isInMessages: true)
    case .contentAvailable:
      APSRules("content-available", .flag, isInMessages: true, fault: .flag)
    case .contentChanged: APSRules("content-changed", .truth, of: .reload)
    case .contentState: APSRules("content-state", .object, of: .activity(nil))
    case .dismissalDate: APSRules("dismissal-date", .time, of: .activity(.end))
    case .event:
      APSRules(
        "event", .word(ActivityEvent.self), of: .activity(nil),
        fault: .init(.activityEventUnknown, "start, update or end"))
    case .filterCriteria: APSRules("filter-criteria", .text, isInMessages: true)
    case .inputPushChannel: APSRules("input-push-channel", .text, of: .activity(.start))
    case .inputPushToken:
      APSRules("input-push-token", .flag, of: .activity(.start), fault: .flag)
    case .interruptionLevel:
      APSRules(
        "interruption-level", .word(InterruptionLevel.self), isInMessages: true,
        fault: .init(
          .interruptionLevelUnknown, "passive, active, time-sensitive or critical"))
    case .mutableContent: APSRules("mutable-content", .flag, isInMessages: true, fault: .flag)
    case .relevanceScore:
      APSRules(
        "relevance-score", .score, isInMessages: true,
        fault: .init(.relevanceScoreOutOfRange, "from 0 to 1"))
    case .sound: APSRules("sound", .sound, isInMessages: true)
    case .staleDate: APSRules("stale-date", .time, of: .activity(nil))
    case .targetContentID: APSRules("target-content-id", .text, isInMessages: true)
    case .threadID: APSRules("thread-id", .text, isInMessages: true)
    case .timestamp: APSRules("timestamp", .time, of: .activity(nil))
    case .urlArgs: APSRules("url-args", .texts, of: .website)
    }
  }

  /// Its name in `aps`.
  public var name: String { rules.name }

  init?(name: String) {
    guard let key = Self.byName[Spelling(name)] else { return nil }
    self = key
  }

  private static let byName = Dictionary(
    uniqueKeysWithValues: allCases.map { (Spelling($0.name), $0) })
}

/// What is known of an ``APSKey``.
public struct APSRules: Sendable {
  /// Its name in `aps`.
  let name: String
  public let kind: Kind
  let scope: Scope
  /// Whether a message has the member itself, with `_` for `-`: `thread_id`.
  public let isInMessages: Bool
  /// The problem that is told of a value that Apple does not want.
  let fault: Fault?

  fileprivate init(
    _ name: String, _ kind: Kind, of scope: Scope = .any, isInMessages: Bool = false,
    fault: Fault? = nil
  ) {
    self.name = name
    self.kind = kind
    self.scope = scope
    self.isInMessages = isInMessages
    self.fault = fault
  }

  public enum Kind: Sendable {
    /// An ``AlertForm``.
    case alert
    /// A ``Sound``.
    case sound
    /// A text. In a notification a device treats an empty text as absent.
    case text
    /// One of some words. A device treats any other word as absent.
    case word(any APSWord.Type)
    /// The number 1 or 0; a device takes nearly all other values for 1.
    case flag
    /// A whole number from 0. A device treats a lesser number as absent.
    case count
    /// A number. In a notification a device brings it between 0 and 1.
    case score
    /// Unix seconds.
    case time
    /// `true` or `false`.
    case truth
    /// An object of the app's own form.
    case object
    /// An array of texts.
    case texts
  }

  /// The kind of push that a member belongs to. In any other push the member is ignored.
  enum Scope: Hashable {
    /// Any notification or Live Activity.
    case any
    /// A Live Activity: only one of its events, or any event.
    case activity(ActivityEvent?)
    /// A push that has something made anew.
    case reload
    /// A Safari website push, which no longer exists.
    case website
  }

  /// A problem of a value.
  struct Fault {
    let code: PayloadProblem.Code
    /// What the member is: "0 or more".
    let rule: String

    init(_ code: PayloadProblem.Code, _ rule: String) {
      self.code = code
      self.rule = rule
    }

    static let flag = Fault(.flagNotZeroOrOne, "the number 0 or 1")
  }
}
