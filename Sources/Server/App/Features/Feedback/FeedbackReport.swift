import DeviceProfile
import JSON
import Postgres
import Registry

/// One answer of APNs as a sender reports it.
struct FeedbackItem: Sendable {
  /// The token that the push went to; `nil` for another platform's token, or for a push to a
  /// channel.
  var token: DeviceToken?
  /// The name of the channel that the push went to.
  var channel: String?
  /// The environment of the push; `nil` when the sender does not say.
  var environment: Environment?
  /// The kind of the token according to the sender; `nil` when the sender does not say.
  var kind: CredentialKind?
  /// The HTTP status.
  var status: Int?
  /// APNs' reason, verbatim.
  var reason: String?
  /// When APNs noticed that the token was dead: its own `timestamp`.
  var timestamp: Timestamp?
  var sentAt: Timestamp?
  var meaning: FeedbackMeaning
  /// The operator's next step.
  var action: String
  /// The faults of a result that cannot be read.
  var problems: [InputProblem] = []

  init(
    token: DeviceToken?, environment: Environment? = nil, kind: CredentialKind? = nil,
    status: Int? = nil, reason: String? = nil, timestamp: Timestamp? = nil,
    sentAt: Timestamp? = nil
  ) {
    self.token = token
    self.environment = environment
    self.kind = kind
    self.status = status
    self.reason = reason
    self.timestamp = timestamp
    self.sentAt = sentAt
    (meaning, action) = APNsReason.reading(status: status, reason: reason)
  }

  /// An answer of APNs to a broadcast, or to a request about a channel.
  init(channel: String, status: Int?, reason: String?, sentAt: Timestamp?) {
    self.init(token: nil, status: status, reason: reason, sentAt: sentAt)
    self.channel = channel
    // The push went to no token, so a meaning for tokens does not apply.
    if meaning.credentialStatus != nil { meaning = .unrecognized }
  }

  /// A result that cannot be read as an answer of APNs, with its token if it has a valid one.
  init(unreadable element: JSONValue, _ problems: [InputProblem]) {
    self.init(token: element["token"]?.text.flatMap { try? DeviceToken(parsing: $0) })
    meaning = .unreadable
    action = "Mend what the sender reports: \(problems.first?.detail ?? "")"
    self.problems = problems
  }

  /// An answer of another platform's push service.
  static let ofOtherPlatform: FeedbackItem = {
    var item = FeedbackItem(token: nil)
    item.meaning = .otherPlatform
    item.action = "Nothing: the registry holds Apple's tokens alone."
    return item
  }()

  /// The time from which the answer holds: when APNs noticed, or else when the push was sent, or
  /// else now. A time after the arrival comes from a clock that is ahead: then it is now.
  func establishedAt(arrivingAt now: Timestamp) -> Timestamp {
    min(timestamp ?? sentAt ?? now, now)
  }

  /// Whether the answer is about a token that the app holds under this key.
  func concerns(_ key: TokenKey) -> Bool {
    token == key.token && environment ?? key.environment == key.environment
      && kind ?? key.kind == key.kind
  }
}

/// The body of `POST …/feedback`: `{"results": […]}`. Each result is read by itself: an unreadable
/// result costs no other result.
struct FeedbackReport: RequestBody {
  static var policy: FieldPolicy { .strict }

  var items: [FeedbackItem]

  init?(reading fields: FieldReader) {
    guard let results = fields.required(fields.json("results"), "results") else { return nil }
    guard case .array(let elements) = results else {
      fields.refuseType("results", "an array", results)
      return nil
    }
    guard elements.count <= Limits.feedbackItems else {
      fields.refuse(.tooMany, at: "results", "At most \(Limits.feedbackItems) results.")
      return nil
    }
    fields.ignoreUnknownFields()
    items = elements.enumerated().map { index, element in
      do throws(InputFailure) {
        return try element.read(Self.policy, FeedbackItem.init(reading:)).body
      } catch {
        let place = "\(fields.pointer(to: "results"))/\(index)"
        let problems = error.problems.map { $0.moved { place + $0 } }
        return FeedbackItem(unreadable: element, problems)
      }
    }
  }
}

/// The body of `POST …/feedback/gorush`: what gorush sends to its feedback hook.
struct GorushReport: RequestBody {
  static var policy: FieldPolicy { .strict }

  var item: FeedbackItem

  init?(reading fields: FieldReader) {
    guard let item = FeedbackItem(gorush: fields) else { return nil }
    self.item = item
  }
}

extension FeedbackItem {
  fileprivate init?(reading fields: FieldReader) {
    if fields.has("channel") {
      self.init(ofBroadcast: fields)
      return
    }
    let token = fields.requiredToken()
    let environment = fields.required(
      fields.word("environment", of: Environment.self), "environment")
    let kind = fields.word("credential", of: CredentialKind.self).value
    let (status, reason) = fields.answer()
    let timestamp = fields.milliseconds("timestamp").value
    let sentAt = fields.sentAt("sent_at")
    guard let token, let environment else { return nil }
    self.init(
      token: token, environment: environment, kind: kind, status: status, reason: reason,
      timestamp: timestamp, sentAt: sentAt)
  }

  private init?(ofBroadcast fields: FieldReader) {
    let channel = fields.text("channel", maximum: RegistryLimits.userIDBytes, minimum: 1).value
    let (status, reason) = fields.answer()
    let sentAt = fields.sentAt("sent_at")
    guard let channel else { return nil }
    self.init(channel: channel, status: status, reason: reason, sentAt: sentAt)
  }

  /// gorush's `LogPushEntry`: `{notif_id, type, platform, token, message, error}`. The platform is
  /// a word, or a number in its push requests; the error is APNs' reason, or the text of another
  /// failure. The entry has no status, no environment and no time. Fields of later versions are
  /// accepted.
  fileprivate init?(gorush fields: FieldReader) {
    fields.ignoreUnknownFields()
    guard let platform = fields.required(fields.json("platform"), "platform") else { return nil }
    switch platform {
    case .string, .integer, .double, .longNumber: break
    default:
      fields.refuse(.wrongType, at: "platform", "A text or a number.")
      return nil
    }
    let isSent = fields.text("type", maximum: 64).value == "succeeded-push"
    let reason = fields.text("error", maximum: Limits.feedbackErrorBytes).value
    let token = fields.text("token", maximum: RegistryLimits.deviceTokenMaximumBytes * 4).value
    guard [.string("ios"), .integer(1), .double(1)].contains(platform) else {
      self = .ofOtherPlatform
      return
    }
    if let token, token.utf8.contains(UInt8(ascii: "*")) {
      fields.refuse(
        InputProblem(
          pointer: fields.pointer(to: "token"), code: DeviceToken.Fault.notHex.rawValue,
          detail: "gorush hides the token: set its log.hide_token to false."))
      return nil
    }
    guard let token = fields.requiredToken() else { return nil }
    self.init(token: token, status: isSent ? 200 : nil, reason: isSent ? nil : reason)
  }
}

extension FieldReader {
  /// The status of APNs' answer, its reason, or both.
  fileprivate func answer() -> (status: Int?, reason: String?) {
    let status = integer("status", in: 200...599).value
    let reason = text("reason", maximum: Limits.feedbackReasonBytes, minimum: 1).value
    if !has("status"), !has("reason") {
      refuse(.missingField, at: "status", "The status or the reason is required.")
    }
    return (status, reason)
  }

  /// A time in milliseconds since 1970, as APNs writes it.
  fileprivate func milliseconds(_ name: String) -> Change<Timestamp> {
    integer(name, in: 1...Timestamp.writable.upperBound / 1000).compactMap {
      time(milliseconds: $0, at: name)
    }
  }

  /// If seconds were read as milliseconds, the time would be far in the past, and no token would
  /// ever go out of use. So a time in seconds is refused and not guessed.
  private func time(milliseconds number: Int64, at name: String) -> Timestamp? {
    if number >= Limits.leastMilliseconds { return Timestamp(microseconds: number * 1000) }
    refuse(.timestampInSeconds, at: name, "This can only be seconds; APNs counts milliseconds.")
    return nil
  }

  /// A time as this service writes it, or as APNs does.
  fileprivate func sentAt(_ name: String) -> Timestamp? {
    json(name).compactMap { value in
      switch value {
      case .string(let text):
        if let time = Timestamp(rfc3339: text) { return time }
      case .integer(let number) where number <= Timestamp.writable.upperBound / 1000:
        return time(milliseconds: number, at: name)
      default: break
      }
      refuse(.invalidTimestamp, at: name, "RFC 3339, or milliseconds since 1970.")
      return nil
    }.value
  }
}
