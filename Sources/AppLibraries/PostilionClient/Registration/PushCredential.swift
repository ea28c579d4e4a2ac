/// What a token is for: ``Postilion/register(token:for:)``.
public struct PushCredential: Hashable, Sendable {
  /// Where it stands in a report; `nil` when its name is too short or too long.
  let place: ReportPlace?
  /// What is reported beside the token.
  var details: [String: PayloadValue] = [:]

  /// Notifications: `didRegisterForRemoteNotificationsWithDeviceToken`. Register it at each launch.
  public static let apns = Self(place: ReportPlace(.apns))

  /// Calls: `pushRegistry(_:didUpdate:for:)` of PushKit. Remove it in
  /// `pushRegistry(_:didInvalidatePushTokenFor:)`.
  public static let voip = Self(place: ReportPlace(.voip))

  /// Starting Live Activities of an attributes type: `Activity.pushToStartTokenUpdates`. The type
  /// is the name of your Swift type.
  public static func liveActivityStart(type: String) -> Self {
    Self(place: place(.liveActivityStart, type))
  }

  /// A Live Activity that runs: `Activity.pushTokenUpdates`.
  public static func liveActivity(id: String, type: String) -> Self {
    let isNamed = CredentialLimits.nameBytes.contains(type.utf8.count)
    return Self(
      place: isNamed ? place(.liveActivities, id) : nil, details: ["type": .string(type)])
  }

  /// Reloading the widgets of the app, all with one token: `WidgetPushHandler`. The list has what
  /// you want your backend to know of the widgets that the person has placed, at most 4096 bytes as
  /// JSON.
  public static func widgets(_ widgets: [PayloadValue] = []) -> Self {
    Self(place: ReportPlace(.widgets), details: ["widgets": .array(widgets)])
  }

  /// Starting what a remote session plays: `RemoteMediaSession.pushToStartTokenUpdates`.
  public static let nowPlayingStart = Self(place: ReportPlace(.nowPlayingStart))

  /// A remote session that plays: `RemoteMediaSessionRepresentable.pushTokenUpdates`.
  public static func nowPlaying(session: String) -> Self {
    Self(place: place(.nowPlaying, session))
  }

  /// Asking for the location: `CLLocationManager.startMonitoringLocationPushes()`.
  public static let location = Self(place: ReportPlace(.location))

  /// Push to Talk. Report the token again with `false` when the person has left the channel: the
  /// system takes no pushes then.
  public static func pushToTalk(isJoined: Bool = true) -> Self {
    Self(place: ReportPlace(.pushToTalk), details: ["joined": .bool(isJoined)])
  }

  /// Changes to a File Provider extension: `PKPushType.fileProvider`.
  public static let fileProvider = Self(place: ReportPlace(.fileProvider))
  /// Complications of ClockKit: `PKPushType.complication`.
  public static let complication = Self(place: ReportPlace(.complication))

  /// A place of a name.
  static func place(_ field: ReportField, _ name: String) -> ReportPlace? {
    CredentialLimits.nameBytes.contains(name.utf8.count) ? ReportPlace(field, name) : nil
  }
}
