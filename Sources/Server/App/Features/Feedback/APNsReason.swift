import Registry

/// The meaning of an APNs answer for the sender of the push.
enum FeedbackMeaning: Sendable {
  /// APNs took the push.
  case success
  /// The token is no longer active for the topic.
  case tokenDead
  /// The token is not a token of that environment.
  case badToken
  /// The token belongs to another topic.
  case wrongTopic
  /// The channel is gone; no token is.
  case channelGone
  /// The request was wrong, whatever the token.
  case requestError
  /// The topic, the certificate or the key is not set up for the push.
  case configurationError
  /// APNs did not accept the provider token.
  case authenticationError
  /// Too much at once.
  case throttled
  /// APNs or the connection failed; the same push may work later.
  case transient
  /// Neither the reason nor the status is known.
  case unrecognized
  /// The answer of another platform's push service.
  case otherPlatform
  /// The answer cannot be read.
  case unreadable

  /// The status that the answer gives a token, unless the app has brought the token since. A dead
  /// token of the kind `location` is quarantined (``FeedbackDecision``).
  var credentialStatus: CredentialStatus? {
    switch self {
    case .tokenDead, .wrongTopic: .invalid
    case .badToken: .quarantined
    default: nil
    }
  }

  /// Whether a sender's mistake can cause it for all devices at once: the wrong environment, or the
  /// topic of another app.
  var mayBeSenderMistake: Bool { self == .badToken || self == .wrongTopic }

  /// The meaning of a status alone, for reasons that Apple adds later.
  init(status: Int?) {
    self =
      switch status {
      case 200?: .success
      case 403?: .configurationError
      case 410?: .tokenDead
      case 429?: .throttled
      case let status? where (400..<500).contains(status): .requestError
      case let status? where status >= 500: .transient
      default: .unrecognized
      }
  }
}

/// A reason that APNs gives when it does not deliver a push (Apple, "Handling notification
/// responses from APNs"; docs/apple.md 3), what it means, and what the operator does about it.
struct APNsReason: Sendable {
  let name: String
  /// The HTTP status that comes with the reason.
  let status: Int
  let meaning: FeedbackMeaning
  /// One sentence.
  let action: String

  /// All reasons that Apple documents, one of them also in the spelling that APNs really uses.
  static let all: [APNsReason] = [
    Self("BadChannelId", 400, .requestError, "Send apns-channel-id as APNs gave it."),
    Self("BadCollapseId", 400, .requestError, "Make apns-collapse-id at most 64 bytes long."),
    Self(
      "BadDeviceToken", 400, .badToken,
      "Send to the host of the token's environment. If you did, wait until the app brings a new "
        + "token."),
    Self(
      "BadExpirationDate", 400, .requestError, "Write apns-expiration as seconds since 1970."),
    Self("BadMessageId", 400, .requestError, "Write apns-id as a UUID in lower case."),
    Self("BadPriority", 400, .requestError, "Set apns-priority to 10, 5 or 1; background is 5."),
    Self("BadRequestParams", 400, .requestError, "Send only the parameters that Apple lists."),
    Self("BadRequestPayload", 400, .requestError, "Send a body as Apple describes it."),
    Self("BadTopic", 400, .configurationError, "Set apns-topic to the app's bundle id."),
    Self(
      "CannotCreateChannelConfig", 400, .configurationError,
      "Delete channels that nobody needs: an app has at most 10,000."),
    Self(
      "ChannelNotRegistered", 400, .channelGone,
      "Have APNs make the channel anew, and report its id."),
    Self(
      "DeviceTokenNotForTopic", 400, .wrongTopic,
      "See which app and which kind of token this is: a VoIP token needs the topic with .voip."),
    Self("DuplicateHeaders", 400, .requestError, "Send each apns header once."),
    Self(
      "FeatureNotEnabled", 400, .configurationError,
      "Switch on broadcasts for the app's identifier at developer.apple.com."),
    Self("IdleTimeout", 400, .transient, "Open a new connection and send it again."),
    Self("InvalidPushType", 400, .requestError, "Set apns-push-type to one that Apple lists."),
    Self("MissingChannelId", 400, .requestError, "Send apns-channel-id."),
    Self("MissingDeviceToken", 400, .requestError, "Put the token into the path: /3/device/…."),
    Self("MissingPushType", 400, .requestError, "Send apns-push-type."),
    Self("MissingTopic", 400, .requestError, "Send apns-topic."),
    Self("PayloadEmpty", 400, .requestError, "Send a payload."),
    Self(
      "TopicDisallowed", 400, .configurationError,
      "Use a certificate or key that covers the topic."),
    Self("BadCertificate", 403, .configurationError, "Replace the certificate."),
    Self(
      "BadCertificateEnvironment", 403, .configurationError,
      "Use the certificate of this environment."),
    Self(
      "ExpiredProviderToken", 403, .authenticationError,
      "Sign a new provider token, at least every hour, by a clock that is right."),
    Self("Forbidden", 403, .configurationError, "Do not repeat it; ask Apple what is forbidden."),
    Self(
      "InvalidProviderToken", 403, .authenticationError,
      "Check the key, its id and the team id of the provider token."),
    Self(
      "MissingProviderToken", 403, .authenticationError,
      "Send a provider token, or connect with a certificate."),
    Self(
      "TopicMismatch", 403, .configurationError,
      "Use a key or certificate of the app that the path names."),
    Self(
      "UnrelatedKeyIdInToken", 403, .authenticationError,
      "Open a connection of its own for this key."),
    Self(
      "BadEnvironmentKeyIdInToken", 403, .configurationError,
      "Use a key that is made for this environment."),
    Self(
      "BadEnvironmentKeyInToken", 403, .configurationError,
      "Use a key that is made for this environment."),
    Self("BadPath", 404, .requestError, "Send to /3/device/ and the token in hex."),
    Self("MethodNotAllowed", 405, .requestError, "Send with POST."),
    Self("ExpiredToken", 410, .tokenDead, tokenDeadAction),
    Self("Unregistered", 410, .tokenDead, tokenDeadAction),
    Self("PayloadTooLarge", 413, .requestError, "Make the payload smaller."),
    Self(
      "TooManyProviderTokenUpdates", 429, .authenticationError,
      "Keep a provider token for 20 minutes at least."),
    Self("TooManyRequests", 429, .throttled, "Send to this device less often."),
    Self("InternalServerError", 500, .transient, transientAction),
    Self("ServiceUnavailable", 503, .transient, transientAction),
    Self("Shutdown", 503, .transient, "Open a new connection and send it again."),
  ]

  private init(_ name: String, _ status: Int, _ meaning: FeedbackMeaning, _ action: String) {
    self.name = name
    self.status = status
    self.meaning = meaning
    self.action = action
  }

  private static let byName = Dictionary(all.map { ($0.name, $0) }) { $1 }
  private static let tokenDeadAction = "Do not send to it until the app registers it again."
  private static let transientAction = "Send it again after 15 minutes, then less and less often."

  /// The meaning of a status and a reason; either may be unknown. With 200 APNs took the push,
  /// whatever the reason says. Otherwise a known reason counts before the status.
  static func reading(status: Int?, reason: String?) -> (meaning: FeedbackMeaning, action: String) {
    if status != 200, let known = reason.flatMap({ byName[$0] }) {
      return (known.meaning, known.action)
    }
    let meaning = FeedbackMeaning(status: status)
    let action =
      switch meaning {
      case .success: "Nothing."
      case .tokenDead: tokenDeadAction
      case .throttled: "Send more slowly."
      case .transient: transientAction
      case .requestError: "Repair the request; the same one will be refused again."
      case .configurationError: "Check the certificate or key, and its topics."
      default: "See what the sender met; APNs is not known to answer this."
      }
    return (meaning, action)
  }
}
