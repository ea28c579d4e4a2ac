public import APNs
public import DeviceProfile
import JSON

/// A message that the system or an extension of the app takes, where other messages are
/// notifications: a Live Activity, a reload of widgets, and the like.
public struct SystemPush: Sendable, Hashable {
  /// The kind of push, from which topic, priorities and size follow.
  public let pushType: PushType
  let rules: SystemPushRules
  /// The event of a Live Activity or of now playing.
  public var event: ActivityEvent?
  /// The attributes type of a Live Activity.
  public var type: String?
  /// The name of the activity or session that it goes to, or of a handler's control. Nil: to all.
  public var name: Template?
  /// The type of a control's handler.
  public var handler: String?
  /// `attributes` of a Live Activity that starts, and of now playing.
  public var attributes: StateTemplate?
  /// `content-state` of a Live Activity.
  public var contentState: StateTemplate?
  /// The app's own members beside `aps`, of the kinds that have some.
  public var members: DataTemplate?
  /// The sound of an activity's alert.
  public var sound: String?
  /// After how many seconds a Live Activity shows that it is out of date.
  public var staleAfterSeconds: Int?
  /// After how many seconds an ended Live Activity goes.
  public var dismissAfterSeconds: Int?
  /// Sorts the Live Activities of an app.
  public var relevanceScore: Double?
  /// Whether the app is to get an update token for the activity that starts.
  public var asksForToken = false
  /// The name of the channel that the activity which starts subscribes to.
  public var inputChannelName: String?
  /// The channel of that name, once it is looked up.
  public var inputChannel: BroadcastChannel?
  /// Whether it goes to a channel, and not to devices.
  public var isBroadcast = false

  /// A push of a kind; nil for one that no message asks for.
  init?(_ pushType: PushType) {
    guard let rules = pushType.rules.message else { return nil }
    self.pushType = pushType
    self.rules = rules
  }
}

/// Holds a push behind a reference, so that the many messages without one stay small.
final class SystemPushReference: Sendable, Hashable {
  let push: SystemPush

  init(_ push: SystemPush) { self.push = push }

  static func == (left: SystemPushReference, right: SystemPushReference) -> Bool {
    left.push == right.push
  }

  func hash(into hasher: inout Hasher) { push.hash(into: &hasher) }
}

extension SystemPush {
  /// The member of a message that asks for it.
  public var member: String { rules.member }

  /// The kind of token that it goes to.
  public var credential: CredentialKind {
    event == .start ? rules.startCredential : rules.credential
  }

  /// The priorities that a message may ask for.
  var priorities: [Int] { rules.priorities ?? pushType.rules.priorities }

  /// Whether it is of a Live Activity.
  public var isActivity: Bool { pushType == .liveactivity }

  /// Whether it has members of the app's own beside `aps`.
  var takesData: Bool { if case .data = rules.contents { true } else { false } }

  /// Whether only one attempt to deliver it makes sense.
  var isAboutNow: Bool { pushType.rules.defaultTTLSeconds == 0 }

  /// The priority of a message that asks for none. 10 counts against the hourly budget of a Live
  /// Activity (Apple, "Starting and updating Live Activities with ActivityKit push notifications"),
  /// so an update that nobody is to notice has 5; a location is asked for "at once" with 10.
  func defaultPriority(hasAlert: Bool) -> Int? {
    if isActivity { return event == .start || hasAlert ? 10 : 5 }
    return rules.priorities?.first
  }

  /// The systems that take it. A start of a Live Activity needs a later version than an update; so
  /// does a start that subscribes to a channel.
  private var systems: FirstVersions {
    if inputChannelName != nil { return FirstVersions(ios: Version(18)) }
    if isActivity, event == .start { return FirstVersions(ios: Version(17, 2)) }
    return rules.systems
  }

  /// The facts of a device that it depends on.
  var aspects: DeviceAspects {
    inputChannelName == nil
      ? [.abilities, .liveActivities] : [.abilities, .liveActivities, .environment, .bundleID]
  }

  /// Why a device must not get it; nil when it may. A version that is not known is no obstacle, as
  /// the device has a token of the kind; but a channel needs a later system than that token.
  func obstacle(on device: Device, in app: AppFacts) -> SystemObstacle? {
    guard let first = systems[device.platform] else { return .systemWithoutKind }
    if device.osVersion.map({ $0 < first }) ?? (inputChannel != nil) { return .systemTooOld }
    if isActivity, event == .start, device.liveActivitiesAllowed == false {
      return .activitiesNotAllowed
    }
    if let inputChannel {
      if inputChannel.environment != device.environment { return .channelOfOtherEnvironment }
      let bundleID = device.bundleID ?? app.bundleID
      if bundleID != app.bundleID { return .channelOfOtherBundleID }
    }
    return nil
  }
}

/// Why a device cannot take a ``SystemPush``.
public enum SystemObstacle: Sendable, Hashable {
  /// Its system never knew the kind.
  case systemWithoutKind
  /// Its system is older than the kind.
  case systemTooOld
  /// The person does not allow Live Activities.
  case activitiesNotAllowed
  /// It is in another environment than the channel that the activity subscribes to.
  case channelOfOtherEnvironment
  /// Its target has another bundle id than the app, whose channel it is.
  case channelOfOtherBundleID
}

extension SystemPush {
  /// The name that it goes to, with its placeholders filled; nil when it names none. Nothing has an
  /// empty name.
  public func filledName(_ arguments: Arguments) -> String? {
    name?.filled { arguments.plainText($0) }
  }

  /// The same for a name without placeholders.
  public var constantName: String? { name?.filled { _ in "" } }

  /// Whether each recipient can have a name of its own.
  public var hasFilledName: Bool { name?.names.isEmpty == false }

  /// Writes the members that are the same for all devices.
  /// - Parameter now: Unix seconds, the `timestamp` by which later updates win.
  func write(to aps: inout APS, now: Int64) {
    switch rules.contents {
    case .reload, .control: aps[.contentChanged] = .truth(true)
    case .session:
      aps[.event] = (event?.rawValue).map(APSValue.text)
      aps[.timestamp] = .integer(Int(now))
    case .activity:
      aps[.event] = (event?.rawValue).map(APSValue.text)
      aps[.timestamp] = .integer(Int(now))
      aps[.relevanceScore] = relevanceScore.map(APSValue.number)
      aps[.staleDate] = staleAfterSeconds.map { .integer(Int(now) + $0) }
      aps[.dismissalDate] = dismissAfterSeconds.map { .integer(Int(now) + $0) }
      if event == .start { aps[.attributesType] = type.map(APSValue.text) }
      if asksForToken { aps[.inputPushToken] = .integer(1) }
      aps[.inputPushChannel] = (inputChannel?.id).map(APSValue.text)
    case .data: break
    }
  }

  /// Fills the parts that differ between devices into a payload.
  /// - Returns: Whether every text was found, and what the device needs is not empty.
  func fill(_ payload: inout Payload, from renderer: inout StateRenderer) -> Bool {
    payload.aps?[.contentState] = renderer.object(contentState).map(APSValue.object)
    var attributes = renderer.object(attributes)
    if rules.contents == .session, let session = renderer.arguments.text(name),
      attributes?["id"] == nil
    {
      attributes = attributes ?? [:]
      attributes?["id"] = .string(session)
    }
    payload.aps?[.attributes] = attributes.map(APSValue.object)
    if case .object(let members)? = members.map({ renderer.plain($0) }) {
      for (name, value) in members { payload.data[name] = value }
    }
    let needed: JSONValue? =
      switch rules.contents {
      case .session: attributes?["id"]
      case .data(let required?): payload.data[required]
      case .reload, .control, .data, .activity: nil
      }
    return !renderer.lacksText && needed != .string("")
  }

  /// Whether it says when it was made.
  var isTimed: Bool { [.activity, .session].contains(rules.contents) }

  /// The texts that somebody has to localize, beside those of the alert.
  var texts: [(pointer: String, text: MessageText)] {
    states.flatMap { name, state in state.texts(at: "/\(member)/\(name)") }
  }

  /// The other values with placeholders.
  var data: [(pointer: String, data: DataTemplate)] {
    states.flatMap { name, state in state.data(at: "/\(member)/\(name)") }
      + (members.map { [("/\(member)", $0)] } ?? [])
  }

  private var states: [(name: String, state: StateTemplate)] {
    [("content_state", contentState), ("attributes", attributes)].compactMap { name, state in
      state.map { (name, $0) }
    }
  }
}
