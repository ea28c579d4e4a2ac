/// What a token is for, beside notifications and calls: ``Postilion/register(token:for:)``.
public enum PushCredential: Hashable, Sendable {
  /// Starting Live Activities of an attributes type: `Activity.pushToStartTokenUpdates`. The type
  /// is the name of your Swift type.
  case liveActivityStart(type: String)
  /// A Live Activity that runs: `Activity.pushTokenUpdates`.
  case liveActivity(id: String, type: String)
  /// Reloading the widgets of the app, all with one token: `WidgetPushHandler`. The list has what
  /// you want your backend to know of the widgets that the person has placed, at most 4096 bytes as
  /// JSON.
  case widgets([PayloadValue] = [])
  /// Starting what a remote session plays: `RemoteMediaSession.pushToStartTokenUpdates`.
  case nowPlayingStart
  /// A remote session that plays: `RemoteMediaSessionRepresentable.pushTokenUpdates`.
  case nowPlaying(session: String)
  /// Asking for the location: `CLLocationManager.startMonitoringLocationPushes()`.
  case location
  /// Push to Talk. Report the token again with `false` when the person has left the channel: the
  /// system takes no pushes then.
  case pushToTalk(isJoined: Bool = true)
  /// Changes to a File Provider extension: `PKPushType.fileProvider`.
  case fileProvider
  /// Complications of ClockKit: `PKPushType.complication`.
  case complication
}

extension PushCredential {
  /// Where it stands in a report; `nil` when its name is too short or too long.
  var place: ReportPlace? {
    switch self {
    case .liveActivityStart(let type): Self.place(.liveActivityStart, type)
    case .liveActivity(let id, let type):
      CredentialLimits.nameBytes.contains(type.utf8.count) ? Self.place(.liveActivities, id) : nil
    case .widgets: ReportPlace(.widgets)
    case .nowPlayingStart: ReportPlace(.nowPlayingStart)
    case .nowPlaying(let session): Self.place(.nowPlaying, session)
    case .location: ReportPlace(.location)
    case .pushToTalk: ReportPlace(.pushToTalk)
    case .fileProvider: ReportPlace(.fileProvider)
    case .complication: ReportPlace(.complication)
    }
  }

  /// A place of a name.
  static func place(_ field: ReportField, _ name: String) -> ReportPlace? {
    CredentialLimits.nameBytes.contains(name.utf8.count) ? ReportPlace(field, name) : nil
  }

  /// What is reported beside the token.
  var details: [String: PayloadValue] {
    switch self {
    case .liveActivity(_, let type): ["type": .string(type)]
    case .widgets(let widgets): ["widgets": .array(widgets)]
    case .pushToTalk(let isJoined): ["joined": .bool(isJoined)]
    default: [:]
    }
  }
}
