/// What a token is for. An installation has one token of most kinds; of the others it has one for
/// each name (``nameCount``).
public enum CredentialKind: String, Sendable, CaseIterable {
  /// Alerts, background and the other pushes to the app's own topic.
  case apns
  /// PushKit calls.
  case voip
  /// Reloads the app's widgets.
  case widgets
  /// Asks for the location.
  case location
  case pushToTalk = "push_to_talk"
  /// File Provider extensions.
  case fileProvider = "file_provider"
  /// Complications of ClockKit.
  case complication
  /// Starts what a remote session plays.
  case nowPlayingStart = "nowplaying_start"
  /// Starts Live Activities, a token for each attributes type.
  case liveActivityStart = "live_activity_start"
  /// Updates and ends Live Activities, a token for each activity.
  case liveActivities = "live_activities"
  /// Reloads controls, a token for each control of each handler.
  case controls
  /// Updates and ends what remote sessions play, a token for each session.
  case nowPlaying = "nowplaying"

  /// Whether its tokens may be of another environment than the installation. Tokens of `apns` and
  /// `voip` may not: an app that changes its environment brings both anew.
  public var hasOwnEnvironment: Bool { self != .apns && self != .voip }

  /// How many names stand between the kind and a token. `controls`: the type of the handler, and
  /// the control.
  public var nameCount: Int {
    switch self {
    case .liveActivityStart, .liveActivities, .nowPlaying: 1
    case .controls: 2
    default: 0
    }
  }

  /// The environment in which tokens of the kind are valid, for a build of the given environment.
  /// Tokens for now playing are production's, also in a build that is signed for development (seen
  /// by Home Assistant).
  public func environment(ofBuild environment: Environment) -> Environment {
    switch self {
    case .nowPlaying, .nowPlayingStart: .production
    default: environment
    }
  }
}
