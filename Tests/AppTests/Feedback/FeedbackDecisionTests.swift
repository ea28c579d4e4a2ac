import DeviceProfile
import Postgres
import Testing

@testable import App
@testable import Registry

/// What follows from an answer of APNs, decided without a database.
@Suite struct FeedbackDecisionTests {
  private static let token: DeviceToken = {
    guard let token = DeviceToken(bytes: Array(repeating: 0xAB, count: 32)) else {
      preconditionFailure("32 bytes are a token")
    }
    return token
  }()
  /// The time at which the tests' credential was last brought; rows count milliseconds from it.
  static let presented: Int64 = 1_700_000_000_000

  /// An answer, what is stored, and what follows.
  struct Row: Sendable, CustomTestStringConvertible {
    var name: String
    var status: Int?
    var reason: String?
    var timestamp: Int64?
    var sentAt: Int64?
    var environment: DeviceProfile.Environment? = .production
    var kind: CredentialKind? = .apns
    /// The status of the token in production as `apns`; `nil` when the app does not hold it there.
    var stored: CredentialStatus? = .active
    /// Where else the app holds it.
    var elsewhere: (DeviceProfile.Environment, CredentialKind)?
    var presentedAgain: Int64?
    var isBreakerOpen = false
    /// The arrival.
    var now: Int64 = 10_000
    var outcome: FeedbackEffect
    var detail: FeedbackDecision.Detail?

    var testDescription: String { name }
  }

  /// Every reason of Apple's table, for a token that is in use.
  static let reasons: [(name: String, status: Int, Row: FeedbackDecision)] = [
    ("BadChannelId", 400, .init(.noAction, .requestError)),
    ("BadCollapseId", 400, .init(.noAction, .requestError)),
    ("BadDeviceToken", 400, .init(.quarantined)),
    ("BadExpirationDate", 400, .init(.noAction, .requestError)),
    ("BadMessageId", 400, .init(.noAction, .requestError)),
    ("BadPriority", 400, .init(.noAction, .requestError)),
    ("BadRequestParams", 400, .init(.noAction, .requestError)),
    ("BadRequestPayload", 400, .init(.noAction, .requestError)),
    ("BadTopic", 400, .init(.noAction, .configurationError)),
    ("CannotCreateChannelConfig", 400, .init(.noAction, .configurationError)),
    ("ChannelNotRegistered", 400, .init(.noAction, .channelGone)),
    ("DeviceTokenNotForTopic", 400, .init(.invalidated, .wrongTopic)),
    ("DuplicateHeaders", 400, .init(.noAction, .requestError)),
    ("FeatureNotEnabled", 400, .init(.noAction, .configurationError)),
    ("IdleTimeout", 400, .init(.noAction, .transient)),
    ("InvalidPushType", 400, .init(.noAction, .requestError)),
    ("MissingChannelId", 400, .init(.noAction, .requestError)),
    ("MissingDeviceToken", 400, .init(.noAction, .requestError)),
    ("MissingPushType", 400, .init(.noAction, .requestError)),
    ("MissingTopic", 400, .init(.noAction, .requestError)),
    ("PayloadEmpty", 400, .init(.noAction, .requestError)),
    ("TopicDisallowed", 400, .init(.noAction, .configurationError)),
    ("BadCertificate", 403, .init(.noAction, .configurationError)),
    ("BadCertificateEnvironment", 403, .init(.noAction, .configurationError)),
    ("ExpiredProviderToken", 403, .init(.noAction, .authenticationError)),
    ("Forbidden", 403, .init(.noAction, .configurationError)),
    ("InvalidProviderToken", 403, .init(.noAction, .authenticationError)),
    ("MissingProviderToken", 403, .init(.noAction, .authenticationError)),
    ("TopicMismatch", 403, .init(.noAction, .configurationError)),
    ("UnrelatedKeyIdInToken", 403, .init(.noAction, .authenticationError)),
    ("BadEnvironmentKeyIdInToken", 403, .init(.noAction, .configurationError)),
    ("BadEnvironmentKeyInToken", 403, .init(.noAction, .configurationError)),
    ("BadPath", 404, .init(.noAction, .requestError)),
    ("MethodNotAllowed", 405, .init(.noAction, .requestError)),
    ("ExpiredToken", 410, .init(.invalidated)),
    ("Unregistered", 410, .init(.invalidated)),
    ("PayloadTooLarge", 413, .init(.noAction, .requestError)),
    ("TooManyProviderTokenUpdates", 429, .init(.noAction, .authenticationError)),
    ("TooManyRequests", 429, .init(.noAction, .throttled)),
    ("InternalServerError", 500, .init(.noAction, .transient)),
    ("ServiceUnavailable", 503, .init(.noAction, .transient)),
    ("Shutdown", 503, .init(.noAction, .transient)),
  ]

  @Test func everyReasonIsDecidedOn() {
    #expect(Self.reasons.map(\.name).sorted() == APNsReason.all.map(\.name).sorted())
    for (name, status, expected) in Self.reasons {
      // As APNs answers, and as gorush reports it.
      for (code, reason) in [(status as Int?, name), (nil, name)] {
        let row = Row(name: name, status: code, reason: reason, outcome: expected.effect)
        #expect(decide(row) == expected, "\(code ?? 0) \(name)")
      }
      #expect(APNsReason.all.first { $0.name == name }?.status == status)
    }
  }

  static let rows: [Row] = [
    // The status alone, and reasons that Apple adds later.
    Row(name: "taken", status: 200, outcome: .noAction, detail: .success),
    Row(
      name: "taken, whatever reason is told with it", status: 200, reason: "Unregistered",
      outcome: .noAction, detail: .success),
    Row(name: "410 without a reason", status: 410, outcome: .invalidated),
    Row(name: "410 of a new reason", status: 410, reason: "Recycled", outcome: .invalidated),
    Row(
      name: "400 of a new reason", status: 400, reason: "BadMood", outcome: .noAction,
      detail: .requestError),
    Row(
      name: "403 of a new reason", status: 403, reason: "BadMood", outcome: .noAction,
      detail: .configurationError),
    Row(
      name: "429 of a new reason", status: 429, reason: "BadMood", outcome: .noAction,
      detail: .throttled),
    Row(
      name: "500 of a new reason", status: 500, reason: "BadMood", outcome: .noAction,
      detail: .transient),
    Row(name: "a redirect", status: 302, outcome: .noAction, detail: .unrecognized),
    Row(
      name: "a sentence instead of a reason", reason: "dial tcp: i/o timeout", outcome: .noAction,
      detail: .unrecognized),
    Row(
      name: "BadDeviceToken with a 410 is not believed like a 410", status: 410,
      reason: "BadDeviceToken", outcome: .quarantined),
    // APNs' timestamp.
    Row(
      name: "noticed before the registration", status: 410, timestamp: -1,
      outcome: .ignoredNewerRegistration),
    Row(name: "noticed in its millisecond", status: 410, timestamp: 0, outcome: .invalidated),
    Row(name: "noticed after it", status: 410, timestamp: 1, outcome: .invalidated),
    Row(
      name: "noticed before a launch that wrote nothing", status: 410, timestamp: 5_000,
      presentedAgain: 5_001, outcome: .ignoredNewerRegistration),
    Row(
      name: "noticed after a launch that wrote nothing", status: 410, timestamp: 5_001,
      presentedAgain: 5_001, outcome: .invalidated),
    Row(
      name: "a clock that is ahead counts as the arrival", status: 410, timestamp: 999_999,
      presentedAgain: 10_001, outcome: .ignoredNewerRegistration),
    Row(
      name: "an older memory than what is stored", status: 410, timestamp: -1,
      presentedAgain: -5_000, outcome: .ignoredNewerRegistration),
    Row(
      name: "the timestamp counts, not when the push was sent", status: 410, timestamp: 1,
      sentAt: -5_000, outcome: .invalidated),
    Row(
      name: "without a timestamp, sent before the registration", status: 410, sentAt: -1,
      outcome: .ignoredNewerRegistration),
    Row(name: "without a timestamp, sent after it", status: 410, sentAt: 0, outcome: .invalidated),
    Row(
      name: "without any time, registered since the arrival", status: 410,
      presentedAgain: 10_001, outcome: .ignoredNewerRegistration),
    Row(
      name: "refused before the registration", reason: "BadDeviceToken", sentAt: -1,
      outcome: .ignoredNewerRegistration),
    Row(name: "refused after it", reason: "BadDeviceToken", sentAt: 1, outcome: .quarantined),
    Row(
      name: "another topic's, before the registration", reason: "DeviceTokenNotForTopic",
      sentAt: -1, outcome: .ignoredNewerRegistration),
    // Tokens that are out of use.
    Row(
      name: "dead twice", status: 410, timestamp: 1, stored: .invalid, outcome: .noAction,
      detail: .alreadyInvalid),
    Row(
      name: "dead, and registered again since", status: 410, timestamp: -1, stored: .invalid,
      outcome: .ignoredNewerRegistration),
    Row(name: "dead after a quarantine", status: 410, stored: .quarantined, outcome: .invalidated),
    Row(
      name: "refused twice", reason: "BadDeviceToken", stored: .quarantined, outcome: .noAction,
      detail: .alreadyQuarantined),
    Row(
      name: "refused after it was dead", reason: "BadDeviceToken", stored: .invalid,
      outcome: .noAction, detail: .alreadyInvalid),
    Row(
      name: "another topic's after a quarantine", reason: "DeviceTokenNotForTopic",
      stored: .quarantined, outcome: .invalidated, detail: .wrongTopic),
    // Tokens that are not where the answer says.
    Row(name: "a token of no one", status: 410, stored: nil, outcome: .unknownToken),
    Row(
      name: "held in the other environment", reason: "BadDeviceToken", stored: nil,
      elsewhere: (.sandbox, .apns), outcome: .unknownToken, detail: .environmentMismatch),
    Row(
      name: "held in both environments", reason: "BadDeviceToken", elsewhere: (.sandbox, .apns),
      outcome: .quarantined, detail: .environmentMismatch),
    Row(
      name: "held as the other kind", reason: "DeviceTokenNotForTopic", stored: nil,
      elsewhere: (.production, .voip), outcome: .unknownToken, detail: .credentialMismatch),
    Row(
      name: "held in both, and the sender does not say where", reason: "BadDeviceToken",
      environment: nil, elsewhere: (.sandbox, .apns), outcome: .noAction,
      detail: .environmentUnknown),
    Row(
      name: "dead in both, and the sender does not say where", reason: "Unregistered",
      environment: nil, elsewhere: (.sandbox, .apns), outcome: .invalidated),
    Row(
      name: "no one's, and the sender does not say where", reason: "BadDeviceToken",
      environment: nil, stored: nil, outcome: .unknownToken),
    // Bursts.
    Row(
      name: "refused in a burst", reason: "BadDeviceToken", isBreakerOpen: true,
      outcome: .noAction, detail: .breakerOpen),
    Row(
      name: "another topic's in a burst", reason: "DeviceTokenNotForTopic", isBreakerOpen: true,
      outcome: .noAction, detail: .breakerOpen),
    Row(name: "dead during a burst", status: 410, isBreakerOpen: true, outcome: .invalidated),
  ]

  @Test(arguments: rows) func itIsDecided(row: Row) {
    #expect(decide(row) == FeedbackDecision(row.outcome, row.detail))
  }

  @Test func everyAnswerTellsTheOperatorWhatToDo() {
    for reason in APNsReason.all {
      #expect(reason.action.hasSuffix(".") && reason.action.count > 10, "\(reason.name)")
    }
    for row in Self.rows {
      let action = decide(row).action ?? item(row).action
      #expect(action.hasSuffix("."), "\(row.name)")
    }
  }

  @Test func whatIsTakenOutOfUseKeepsItsReason() {
    let now = time(9)
    var credential = Credential.active(Self.token, in: .production, at: time(0))
    let answer = item(Row(name: "", reason: "Unregistered", outcome: .invalidated))
    credential.takeOutOfUse(as: .invalid, reason: answer.storedReason, at: now)
    #expect(credential.status == .invalid)
    #expect(credential.invalidatedAt == now)
    #expect(credential.reason == "Unregistered")
    credential.restore()
    #expect(credential.status == .active)
    #expect(credential.reason == nil && credential.invalidatedAt == nil)
    #expect(credential.presentedAt == time(0) && credential.registeredAt == time(0))
  }

  private func time(_ milliseconds: Int64) -> Timestamp {
    Timestamp(microseconds: (Self.presented + milliseconds) * 1000)
  }

  private func item(_ row: Row) -> FeedbackItem {
    FeedbackItem(
      token: Self.token, environment: row.environment, kind: row.kind, status: row.status,
      reason: row.reason, timestamp: row.timestamp.map(time), sentAt: row.sentAt.map(time))
  }

  private func decide(_ row: Row) -> FeedbackDecision {
    let token = Self.token
    let key = TokenKey(environment: .production, kind: .apns, token: token)
    var state = FeedbackDecision.TokenState(
      isBreakerOpen: row.isBreakerOpen, now: time(row.now))
    if let stored = row.stored {
      state.key = key
      state.held = [key]
      state.credential = Credential(
        token: token, environment: .production, status: stored,
        registeredAt: time(-86_400_000),
        presentedAt: time(max(0, row.presentedAgain ?? 0)))
    }
    if let (environment, kind) = row.elsewhere {
      state.held.insert(TokenKey(environment: environment, kind: kind, token: token))
    }
    return FeedbackDecision(item(row), state)
  }
}
