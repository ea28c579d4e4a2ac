public import JSON

/// The values of `apns-push-type` (Apple, "Sending notification requests to APNs").
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
  /// Push to Talk.
  case pushtotalk
  /// Makes a managed device contact its MDM server.
  case mdm
  /// Reloads widgets through WidgetKit.
  case widgets
  /// Reloads controls.
  case controls
  /// Starts, updates or ends what a remote session plays, from iOS 27.
  case nowplaying

  /// What follows the bundle id in `apns-topic`; `mdm` has a topic of its own kind.
  public var topicSuffix: String {
    switch self {
    case .alert, .background, .mdm: ""
    case .voip: ".voip"
    case .complication: ".complication"
    case .fileprovider: ".pushkit.fileprovider"
    case .liveactivity: ".push-type.liveactivity"
    case .location: ".location-query"
    case .pushtotalk: ".voip-ptt"
    case .widgets: ".push-type.widgets"
    case .controls: ".push-type.controls"
    case .nowplaying: ".push-type.nowplaying"
    }
  }

  /// The priorities that APNs takes, best first: the first is the default.
  public var allowedPriorities: [Int] {
    switch self {
    case .background: [5]
    case .voip, .pushtotalk: [10]
    case .liveactivity: [10, 5]
    default: [10, 5, 1]
    }
  }

  /// How long a notification is worth delivering unless its sender says otherwise, seconds: one
  /// attempt for what is about now, and absent, up to APNs, for the rest.
  public var defaultTTLSeconds: Int64? {
    self == .voip || self == .pushtotalk ? 0 : nil
  }

  /// The most bytes that a payload may have: 5120 for VoIP, else 4096.
  public var maximumPayloadBytes: Int {
    self == .voip ? 5120 : 4096
  }
}

extension PushType {
  /// The kind that a payload is meant for when nobody says so: by what it shows, plays or counts.
  public init(of object: JSONObject) {
    let aps = Payload(object).aps
    let isPerceived = aps?.alert != nil || aps?.badge != nil || aps?.sound != nil
    if aps?.event != nil {
      self = .liveactivity
    } else if !isPerceived && aps?.contentAvailable == 1 {
      self = .background
    } else {
      self = .alert
    }
  }
}
