internal import DeviceProfile
internal import Telemetry

/// Writes feedback to the log and the metrics.
struct FeedbackMetrics: Sendable {
  private let logger: Logger
  private let decisions: MetricFamily<Counter>
  private let breakers: MetricFamily<Counter>

  init(_ observation: Observation) {
    logger = observation.logger
    decisions = observation.metrics.counter(
      "postilion_feedback_total", "Answers of APNs that senders reported, by decision.",
      "decision", FeedbackEffect.allCases.map(\.rawValue))
    breakers = observation.metrics.counter(
      "postilion_feedback_breaker_total", "Bursts of refused tokens, by what the breaker did.",
      "event", FeedbackBreaker.Event.allCases.map(\.rawValue))
  }

  /// Counts a decision on an answer of APNs.
  func decided(_ decision: FeedbackDecision) {
    decisions.child(decision.effect.rawValue).increment()
  }

  /// Records that a breaker stopped believing that tokens are bad, or began to believe it again.
  func breaker(_ event: FeedbackBreaker.Event, _ app: AppSlug, _ environment: Environment) {
    breakers.child(event.rawValue).increment()
    let (level, name): (LogLevel, StaticString) =
      switch event {
      case .opened: (.warning, "feedback_breaker_opened")
      case .closed: (.info, "feedback_breaker_closed")
      }
    // A breaker opens and closes at its own pace, and each line tells a new state, so each is
    // written.
    logger.log(
      LogRecord(
        level, name, ["app": .string(app.text), "environment": .string(environment.rawValue)],
        repetition: .written))
  }
}
