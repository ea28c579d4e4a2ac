internal import DeviceProfile
public import JSON

/// The values of `apns-push-type` (Apple, "Sending notification requests to APNs"). A new one is a
/// case here, with its row in ``rules``; a new kind of token for it is a ``CredentialKind``.
public enum PushType: String, Sendable, Hashable, CaseIterable {
  /// Shows an alert, plays a sound or sets the badge.
  case alert
  /// Wakes the app and shows nothing.
  case background
  /// Rings a call through PushKit.
  case voip
  /// Updates a watchOS complication.
  case complication
  /// Signals changes to a File Provider extension.
  case fileprovider
  /// Starts, updates or ends a Live Activity.
  case liveactivity
  /// Asks for the user's location.
  case location
  case pushtotalk
  /// Makes a managed device contact its MDM server.
  case mdm
  /// Reloads widgets through WidgetKit.
  case widgets
  /// Reloads controls.
  case controls
  /// Starts, updates or ends what a remote session plays, from iOS 27.
  case nowplaying
}

extension PushType {
  public var rules: PushRules {
    switch self {
    case .alert, .mdm: PushRules(topicSuffix: "")
    case .background: PushRules(topicSuffix: "", priorities: [5])
    case .voip:
      PushRules(
        topicSuffix: ".voip", priorities: [10], defaultTTLSeconds: 0, maximumPayloadBytes: 5120)
    case .complication:
      PushRules(
        topicSuffix: ".complication",
        message: SystemPushRules(
          "complication", .data(), to: .complication,
          from: FirstVersions(ios: Version(9), watchos: Version(2))))
    case .fileprovider:
      PushRules(
        topicSuffix: ".pushkit.fileprovider",
        message: SystemPushRules(
          "file_provider", .data(requires: "container-identifier"), to: .fileProvider,
          from: FirstVersions(ios: Version(11), macos: Version(11))))
    case .liveactivity:
      PushRules(
        topicSuffix: ".push-type.liveactivity", priorities: [10, 5],
        message: SystemPushRules(
          "live_activity", .activity, to: .liveActivities, start: .liveActivityStart,
          from: FirstVersions(ios: Version(16, 1))))
    case .location:
      PushRules(
        topicSuffix: ".location-query", priorities: [10, 5],
        message: SystemPushRules(
          "location", .data(), to: .location, priorities: [5, 10],
          from: FirstVersions(ios: Version(15))))
    case .pushtotalk:
      PushRules(
        topicSuffix: ".voip-ptt", priorities: [10], defaultTTLSeconds: 0,
        message: SystemPushRules(
          "push_to_talk", .data(), to: .pushToTalk, from: FirstVersions(ios: Version(16))))
    case .widgets:
      PushRules(
        topicSuffix: ".push-type.widgets",
        message: SystemPushRules(
          "widgets", .reload, to: .widgets,
          from: FirstVersions(
            ios: Version(26), macos: Version(26), watchos: Version(26), visionos: Version(26))))
    case .controls:
      PushRules(
        topicSuffix: ".push-type.controls",
        message: SystemPushRules(
          "control", .control, to: .controls,
          from: FirstVersions(ios: Version(18), macos: Version(26), watchos: Version(26))))
    case .nowplaying:
      PushRules(
        topicSuffix: ".push-type.nowplaying",
        message: SystemPushRules(
          "nowplaying", .session, to: .nowPlaying, start: .nowPlayingStart,
          from: FirstVersions(ios: Version(27), macos: Version(27))))
    }
  }
}

extension PushType {
  /// Guesses the kind of a payload when nobody says it. The guess goes by what the payload shows,
  /// plays or counts, and by the members that belong to its event. A remote session has an `id`
  /// among its attributes, and neither the state of a Live Activity nor the type of one that
  /// starts.
  public init(of object: JSONObject) {
    let aps = Payload(object).aps
    let isPerceived = aps?.alert != nil || aps?[.badge] != nil || aps?.sound != nil
    if let aps, aps.event != nil {
      let isOfSession =
        aps.attributes?["id"] != nil && aps[.contentState] == nil && aps[.attributesType] == nil
      self = isOfSession ? .nowplaying : .liveactivity
    } else if !isPerceived && aps?.wakesApp == true {
      self = .background
    } else {
      self = .alert
    }
  }
}
