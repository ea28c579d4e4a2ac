internal import Crypto
internal import Postgres
internal import Telemetry

/// Writes webhook deliveries to the log and the metrics. Addresses stay out of the log: they may
/// hold secrets of the receiver.
struct WebhookMetrics: Sendable {
  private let logger: Logger
  private let attempts: MetricFamily<Counter>
  private let givenUp: Counter
  private let disabled: MetricFamily<Counter>
  private let pending: Gauge
  private let oldest: Gauge

  init(_ observation: Observation) {
    logger = observation.logger
    let metrics = observation.metrics
    attempts = metrics.counter(
      "postilion_webhook_attempts_total", "Attempts to deliver to webhooks, by result.",
      "result", ["delivered", "refused"] + AttemptFailure.allCases.map(\.rawValue))
    givenUp = metrics.counter(
      "postilion_webhook_deliveries_given_up_total",
      "Deliveries that a webhook did not take while it took others."
    ).child()
    disabled = metrics.counter(
      "postilion_webhooks_disabled_total", "Webhooks that the service disabled, by reason.",
      "reason", DisabledReason.allCases.map(\.rawValue))
    pending = metrics.gauge(
      "postilion_webhook_deliveries_pending",
      "Deliveries that are pending, of all instances together."
    ).child()
    oldest = metrics.gauge(
      "postilion_webhook_oldest_pending_seconds",
      "How long ago the oldest change happened that a webhook is yet to get; 0: none."
    ).child()
  }

  /// Counts an attempt that ended.
  /// - Parameter isDisabled: Whether the endpoint was disabled already, by another attempt.
  func attempted(_ attempt: AttemptRecord, app: String, isDisabled: Bool = false) {
    let result =
      switch attempt.outcome {
      case .answered: attempt.outcome.isDelivered ? "delivered" : "refused"
      case .failed(let failure): failure.rawValue
      }
    attempts.child(result).increment()
    switch attempt.verdict {
    case .delivered, .tryAgain: break
    case .givenUp:
      givenUp.increment()
      tell("webhook_delivery_given_up", attempt, app, ("delivery_id", attempt.delivery.id))
    case .disabled(let reason):
      if isDisabled { return }
      disabled.child(reason.rawValue).increment()
      // No attempt follows until somebody enables the webhook.
      tell("webhook_disabled", attempt, app, ("reason", reason.rawValue), .written)
    }
  }

  private func tell(
    _ event: StaticString, _ attempt: AttemptRecord, _ app: String, _ field: (String, String),
    _ repetition: LogRecord.Repetition = .counted
  ) {
    logger.log(
      LogRecord(
        .warning, event,
        fields: [
          ("app", .string(app)), ("webhook_id", .string(attempt.key.id.text)),
          (field.0, .string(field.1)),
        ], repetition: repetition))
  }

  /// Sets the number of pending deliveries, and the age of the oldest.
  func waiting(_ count: Int64, oldest seconds: Int64) {
    pending.set(Int(count))
    oldest.set(Int(seconds))
  }

  /// Logs that the database cannot be used; deliveries rest.
  func interrupted(_ error: any Error) {
    // The look that finds that the program is too old for the schema logs it once.
    if (error as? PostgresError)?.code == .outdated { return }
    let cause = (error as? PostgresError)?.description ?? "\(error)"
    logger.log(.warning, "webhooks_interrupted", ["cause": .string(cause)])
  }
}
