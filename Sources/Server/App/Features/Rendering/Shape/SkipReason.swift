internal import Registry
internal import Rendering

/// Why a device of an audience gets nothing.
enum SkipReason: String, Sendable, CaseIterable {
  /// It has no token of the kind.
  case noCredential = "no_credential"
  /// Its token was refused once and not yet brought again.
  case credentialQuarantined = "credential_quarantined"
  /// Its token is no longer valid.
  case credentialInvalid = "credential_invalid"
  /// The person denied what the message shows.
  case denied = "denied"
  /// The payload has more bytes than APNs takes.
  case payloadTooLarge = "payload_too_large"
  /// No catalog has a text for it, or the message has nothing to show.
  case nothingToShow = "nothing_to_show"
  /// A parameter has no argument, no default, and no attribute of this device.
  case missingArgument = "missing_argument"
  /// Its system does not know the kind of push.
  case systemWithoutKind = "system_without_kind"
  /// Its system is too old for the kind of push.
  case systemTooOld = "system_too_old"
  /// The person does not allow Live Activities.
  case activitiesNotAllowed = "activities_not_allowed"
  /// The Live Activity is over.
  case activityEnded = "activity_ended"
  /// The person takes part in no channel of Push to Talk.
  case notJoined = "not_joined"
  /// The activity that starts subscribes to a channel of the other environment.
  case channelOfOtherEnvironment = "channel_of_other_environment"
  /// The activity that starts is of a target with a bundle id of its own, which has no channels.
  case channelOfOtherBundleID = "channel_of_other_bundle_id"
  /// APNs has not made the channel yet.
  case channelNotCreated = "channel_not_created"
  /// APNs has the channel no more.
  case channelGone = "channel_gone"
  /// The audience lists the installation, and it does not exist.
  case installationNotFound = "installation_not_found"

  init?(_ usability: TokenUsability?) {
    switch usability {
    case .active, .startsOften: return nil
    case .quarantined: self = .credentialQuarantined
    case .invalid: self = .credentialInvalid
    case .ended: self = .activityEnded
    case .notJoined: self = .notJoined
    case nil: self = .noCredential
    }
  }

  init(_ obstacle: SystemObstacle) {
    switch obstacle {
    case .systemWithoutKind: self = .systemWithoutKind
    case .systemTooOld: self = .systemTooOld
    case .activitiesNotAllowed: self = .activitiesNotAllowed
    case .channelOfOtherEnvironment: self = .channelOfOtherEnvironment
    case .channelOfOtherBundleID: self = .channelOfOtherBundleID
    }
  }

  init(_ cause: RenderRefusal.Cause) {
    switch cause {
    case .payloadTooLarge: self = .payloadTooLarge
    case .nothingToShow: self = .nothingToShow
    case .missingArgument: self = .missingArgument
    }
  }
}
