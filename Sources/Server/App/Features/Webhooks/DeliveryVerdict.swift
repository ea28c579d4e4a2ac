internal import HTTP
internal import Postgres
internal import Registry

/// How an attempt to deliver ended.
enum AttemptOutcome: Sendable, Equatable {
  /// The receiver answered with a status, and maybe said when to come again.
  case answered(Int, retryAfter: Duration? = nil)
  /// There was no answer.
  case failed(AttemptFailure)

  /// Whether the receiver has the delivery now.
  var isDelivered: Bool {
    if case .answered(let status, _) = self { (200..<300).contains(status) } else { false }
  }
}

/// Why there was no answer.
enum AttemptFailure: String, Sendable, CaseIterable {
  /// The name leads to no address that webhooks may go to.
  case address
  /// No connection came about.
  case connection
  /// The receiver's certificate does not prove that it is the one of the address.
  case trust
  /// The attempt took too long.
  case timeout
  /// The connection broke, or the answer was no HTTP.
  case transfer
}

/// Why an endpoint gets no more deliveries until somebody enables it.
enum DisabledReason: String, PostgresValue, CaseIterable {
  /// The receiver answered 410.
  case gone
  /// For a whole round of attempts at one delivery, none of any delivery succeeded.
  case failing
}

/// The fate of a delivery and of its endpoint after an attempt: a pure function of the attempt and
/// of the state before (Standard Webhooks 1.0, "Deliverability and reliability").
///
/// | the receiver | then |
/// |---|---|
/// | answers 2xx | it is delivered |
/// | answers 410 | the endpoint is disabled; the delivery waits for it to be enabled |
/// | answers 429 or 503 with `Retry-After` | the whole endpoint rests that long, a day at most |
/// | answers anything else, a 3xx too, or not at all | it is tried again after the next delay |
/// | failed ten times, and took another delivery meanwhile | this one is given up |
/// | failed ten times, and took nothing meanwhile | the endpoint is disabled, and nothing is lost |
enum DeliveryVerdict: Sendable, Equatable {
  case delivered
  case tryAgain(at: Timestamp)
  case givenUp
  case disabled(DisabledReason)

  /// The delays between the attempts of a delivery, as the specification proposes them.
  static let delays: [Duration] = [
    .seconds(5), .seconds(5 * 60), .seconds(30 * 60), .seconds(2 * 3600), .seconds(5 * 3600),
    .seconds(10 * 3600), .seconds(14 * 3600), .seconds(20 * 3600), .seconds(24 * 3600),
  ]

  /// Attempts at a delivery: at once, and after each delay.
  static let attempts = delays.count + 1

  /// - Parameters:
  ///   - attempts: The number of attempts, this one included.
  ///   - began: When the first attempt at the delivery began.
  ///   - failingSince: When the first failed attempt after the endpoint's last success began.
  init(
    of outcome: AttemptOutcome, attempts: Int, began: Timestamp, failingSince: Timestamp,
    at now: Timestamp
  ) {
    if outcome.isDelivered {
      self = .delivered
    } else if case .answered(410, _) = outcome {
      self = .disabled(.gone)
    } else if attempts < Self.attempts {
      let delay = Self.delays[max(0, attempts - 1)]
      self = .tryAgain(at: now.advanced(by: max(delay, outcome.rest ?? .zero)))
    } else {
      self = failingSince <= began ? .disabled(.failing) : .givenUp
    }
  }
}

extension AttemptOutcome {
  /// How long the receiver asks to get nothing more, within bounds.
  var rest: Duration? {
    switch self {
    case .answered(429, let wanted?), .answered(503, let wanted?):
      min(wanted, Limits.webhookRest)
    default: nil
    }
  }
}

/// Reads `Retry-After` (RFC 9110, section 10.2.3): seconds, or a date; `nil` for anything else.
///
///     120                             → 120 s
///     99999999999999999999            → 1,000,000,000 s, of which the service waits a day
///     Sun, 06 Nov 1994 08:49:37 GMT   → the time until then, 0 s when it is over
func retryAfter(_ text: String?, at now: Timestamp) -> Duration? {
  guard let text else { return nil }
  if !text.isEmpty, text.utf8.allSatisfy({ (48...57).contains($0) }) {
    // A number with too many digits is a long time, too.
    return .seconds(min(Int64(text) ?? .max, 1_000_000_000))
  }
  guard let seconds = HTTPDate.secondsSince1970(text) else { return nil }
  return .microseconds(max(0, Int64(seconds) * 1_000_000 - now.microseconds))
}
