import DeviceProfile
import Postgres
import Registry

/// The effect of an APNs answer on a token. The raw value is the `decision` of the answer.
enum FeedbackEffect: String, Sendable, CaseIterable {
  /// The token is out of use until the app registers it again.
  case invalidated
  /// The app brought the token after the time that the answer speaks of.
  case ignoredNewerRegistration = "ignored_newer_registration"
  /// The token is out of use until it is clear what is wrong with it.
  case quarantined
  /// The app holds no such token there.
  case unknownToken = "unknown_token"
  /// Nothing follows for the token.
  case noAction = "no_action"
  /// The reported result cannot be read; the other results of the report count.
  case rejected
}

/// The decision on an answer of APNs.
struct FeedbackDecision: Sendable, Hashable {
  /// The reason why nothing follows, or another fact worth knowing.
  enum Detail: String, Sendable, CaseIterable {
    /// The token was invalid already.
    case alreadyInvalid = "already_invalid"
    /// The token was quarantined already.
    case alreadyQuarantined = "already_quarantined"
    /// A burst of refusals is the sender's mistake.
    case breakerOpen = "breaker_open"
    /// The app holds the token in the other environment.
    case environmentMismatch = "environment_mismatch"
    /// The sender did not say the environment, and the app holds the token in both.
    case environmentUnknown = "environment_unknown"
    /// The sender did not say the kind, and the app holds the token as several.
    case credentialUnknown = "credential_unknown"
    /// The app holds the token as another kind.
    case credentialMismatch = "credential_mismatch"
    /// The token is one of another app or kind.
    case wrongTopic = "wrong_topic"
    /// APNs has no such channel.
    case channelGone = "channel_gone"
    case success
    case requestError = "request_error"
    case configurationError = "configuration_error"
    case authenticationError = "authentication_error"
    case throttled
    case transient
    case unrecognized
    case otherPlatform = "other_platform"
  }

  var effect: FeedbackEffect
  var detail: Detail?

  init(_ effect: FeedbackEffect, _ detail: Detail? = nil) {
    self.effect = effect
    self.detail = detail
  }

  /// The new status of the credential; `nil` when the status stays as it is.
  var status: CredentialStatus? {
    switch effect {
    case .invalidated: .invalid
    case .quarantined: .quarantined
    default: nil
    }
  }

  /// The operator's next step, where the reason does not tell it.
  var action: String? {
    switch (effect, detail) {
    case (.ignoredNewerRegistration, _):
      "Go on sending to it: the app registered it after that."
    case (_, .environmentMismatch?):
      "Send to the token's own environment: the app holds it in the other one."
    case (_, .credentialMismatch?):
      "Send with the topic of the token's own kind: the app holds it as another one."
    case (_, .credentialUnknown?):
      "Report the credential: the app holds the token as several kinds."
    case (_, .environmentUnknown?): "Report the environment: the app holds the token in both."
    case (_, .breakerOpen?):
      "Check the host and the topic: too many tokens were refused for it to be their fault."
    case (.unknownToken, _): "Stop sending to it: the app holds no such token."
    default: nil
    }
  }
}

extension FeedbackDecision {
  /// The known facts about a token when an answer of APNs is decided on.
  struct TokenState: Sendable {
    /// The key under which the app holds the token, if the answer can be about that key.
    var key: TokenKey?
    /// The stored credential of that key, which knows when the app last brought it.
    var credential: Credential?
    /// All keys under which the app holds these bytes.
    var held: Set<TokenKey> = []
    /// Whether refusals are taken for a mistake of the sender just now.
    var isBreakerOpen = false
    /// When the answer arrived.
    var now: Timestamp
  }

  /// Decides. An answer changes nothing in these cases, which are looked for in this order:
  ///
  /// 1. The answer is not about the token.
  /// 2. The app does not hold the token.
  /// 3. The app has brought the token after the time of the answer.
  /// 4. The token is `invalid` already, or has the status that the answer would give it.
  /// 5. The sender did not say which of several kinds it is.
  /// 6. The answer may be the sender's mistake, and the breaker is open, or the sender did not say
  ///    which of two environments it is.
  ///
  /// Otherwise the token goes out of use.
  init(_ item: FeedbackItem, _ state: TokenState) {
    guard var status = item.meaning.credentialStatus else {
      self.init(item.meaning == .unreadable ? .rejected : .noAction, item.meaning.detail)
      return
    }
    guard let key = state.key, let credential = state.credential else {
      self.init(.unknownToken, Self.mismatch(item, state.held))
      return
    }
    // After its budget a location token may answer 410, and work again later.
    if key.kind == .location, item.meaning == .tokenDead { status = .quarantined }
    let isAlsoHeldInOtherEnvironment = state.held.contains { $0.environment != key.environment }
    if credential.presentedAt > item.establishedAt(arrivingAt: state.now) {
      self.init(.ignoredNewerRegistration)
    } else if credential.status == .invalid {
      self.init(.noAction, .alreadyInvalid)
    } else if credential.status == status {
      self.init(.noAction, .alreadyQuarantined)
    } else if item.kind == nil, state.held.contains(where: { $0.kind != key.kind }) {
      self.init(.noAction, .credentialUnknown)
    } else if item.meaning.mayBeSenderMistake, item.environment == nil,
      isAlsoHeldInOtherEnvironment
    {
      self.init(.noAction, .environmentUnknown)
    } else if item.meaning.mayBeSenderMistake, state.isBreakerOpen {
      self.init(.noAction, .breakerOpen)
    } else if status == .quarantined {
      self.init(.quarantined, isAlsoHeldInOtherEnvironment ? .environmentMismatch : nil)
    } else {
      self.init(.invalidated, item.meaning == .wrongTopic ? .wrongTopic : nil)
    }
  }

  /// Whether the app holds the token as another kind, or in the other environment; `nil` if
  /// neither, or if the sender did not say the environment.
  private static func mismatch(_ item: FeedbackItem, _ held: Set<TokenKey>) -> Detail? {
    guard let environment = item.environment, !held.isEmpty else { return nil }
    return held.contains { $0.environment == environment }
      ? .credentialMismatch : .environmentMismatch
  }
}

extension FeedbackMeaning {
  /// Why nothing follows from answers that are not about a token.
  fileprivate var detail: FeedbackDecision.Detail? {
    switch self {
    case .success: .success
    case .channelGone: .channelGone
    case .requestError: .requestError
    case .configurationError: .configurationError
    case .authenticationError: .authenticationError
    case .throttled: .throttled
    case .transient: .transient
    case .unrecognized: .unrecognized
    case .otherPlatform: .otherPlatform
    case .tokenDead, .badToken, .wrongTopic, .unreadable: nil
    }
  }
}

extension Credential {
  /// Puts the credential back in use, as if the answer that took it out had not come.
  mutating func restore() {
    status = .active
    invalidatedAt = nil
    reason = nil
  }
}

extension FeedbackItem {
  /// The reason that the credential keeps.
  var storedReason: String { reason ?? status.map(String.init) ?? "unknown" }
}
