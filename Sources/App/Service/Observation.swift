internal import EventLoop
internal import FoundationEssentials
internal import HTTP
internal import HTTPServer
internal import Postgres
internal import Rendering
internal import Telemetry

/// What happens in the service, told to the log and to the metrics. Call sites only say what
/// happened; whether and how it is shown is decided here.
final class Observation: Sendable {
  let logger: Logger
  let metrics = MetricsRegistry()
  private let requests: MetricFamily<Counter>
  private let durations: MetricFamily<Histogram>
  private let rejected: Counter
  private let timeouts: MetricFamily<Counter>
  private let aborted: Counter
  private let connections: Gauge
  private let databaseConnections: Gauge
  private let databaseFailures: MetricFamily<Counter>
  private let embeddedDatabase: MetricFamily<Counter>
  private let renders: MetricFamily<Counter>
  private let skippedRenders: MetricFamily<Counter>
  private let renderProblems: MetricFamily<Counter>
  private let feedbackDecisions: MetricFamily<Counter>
  private let feedbackBreakers: MetricFamily<Counter>
  private let auditFailures: Counter
  private let reportedFailures: MetricFamily<Counter>
  private let census: CensusMetrics

  /// One operation's series, resolved once.
  struct Series: Sendable {
    let operation: String
    fileprivate let byClass: [Counter]
    fileprivate let duration: Histogram
  }

  private static let statusClasses = ["1xx", "2xx", "3xx", "4xx", "5xx"]

  /// The codes of rendered requests' problems.
  static let renderProblemCodes = RenderProblem.codes

  init(logger: Logger, operations: [String]) {
    self.logger = logger
    let registry = metrics
    func counter(
      _ name: String, _ help: String, _ label: String, _ values: [String]
    ) -> MetricFamily<Counter> {
      registry.counter(name, help, labels: [MetricLabel(label, values)]).complete()
    }
    let operation = MetricLabel("operation", operations)
    requests = metrics.counter(
      "postilion_http_requests_total", "Requests answered, by operation and class of status.",
      labels: [operation, MetricLabel("status", Self.statusClasses)])
    durations = metrics.histogram(
      "postilion_http_request_duration_seconds", "From the head of a request to its answer.",
      labels: [operation], bounds: Histogram.requestMicroseconds, unitsPerOne: 1_000_000)
    rejected = metrics.counter(
      "postilion_http_rejected_total", "Bytes that were no request and got an error and a close."
    ).child()
    timeouts = counter(
      "postilion_http_timeouts_total", "Peers that were too slow, by what they were late with.",
      "phase", ["head", "body", "idle", "write"])
    aborted = metrics.counter(
      "postilion_http_streams_aborted_total", "Streamed answers that broke off."
    ).child()
    connections = metrics.gauge("postilion_http_connections", "Open client connections.").child()
    databaseConnections = metrics.gauge(
      "postilion_database_connections", "Open pipelined database connections."
    ).child()
    databaseFailures = counter(
      "postilion_database_failures_total", "Connections lost or refused, statements turned away.",
      "kind", ["disconnected", "connect_failed", "overloaded"])
    embeddedDatabase = counter(
      "postilion_embedded_database_total", "What happened to the private PostgreSQL.",
      "event", ["ended", "restarted", "start_failed", "gave_up"])
    renders = counter(
      "postilion_renders_total", "Devices that requests were rendered for, by mode.",
      "mode", Mode.allCases.map(\.rawValue))
    skippedRenders = counter(
      "postilion_render_skipped_total", "Devices of audiences that get nothing, by reason.",
      "reason", SkipReason.allCases.map(\.rawValue))
    renderProblems = counter(
      "postilion_render_problems_total", "Problems told with rendered requests, by code.",
      "code", Self.renderProblemCodes)
    feedbackDecisions = counter(
      "postilion_feedback_total", "Answers of APNs that senders reported, by decision.",
      "decision", FeedbackDecision.Outcome.allCases.map(\.rawValue))
    feedbackBreakers = counter(
      "postilion_feedback_breaker_total", "Bursts of refused tokens, by what the breaker did.",
      "event", FeedbackBreaker.Event.allCases.map(\.rawValue))
    reportedFailures = counter(
      "postilion_registration_failures_total", "Failed registrations that apps reported, by kind.",
      "kind", FailureKind.allCases.map(\.rawValue))
    auditFailures = metrics.counter(
      "postilion_audit_failures_total", "Calls of admins that the audit log does not hold."
    ).child()
    census = CensusMetrics(metrics)
    metrics.declareBuild()
    metrics.declareProcessMetrics()
  }

  /// The series of an operation.
  func series(_ operation: String) -> Series {
    Series(
      operation: operation,
      byClass: Self.statusClasses.map { requests.child(operation, $0) },
      duration: durations.child(operation))
  }

  /// A request was answered.
  func answered(
    _ series: Series, _ head: RequestHead, status: Status, nanoseconds: UInt64,
    requestID: String, problem: Problem?
  ) {
    series.byClass[min(max(status.code / 100 - 1, 0), 4)].increment()
    series.duration.observe(Int(nanoseconds / 1000))
    let level: LogLevel = status.code >= 500 ? .error : status.code >= 400 ? .info : .debug
    guard level >= logger.minimumLevel else { return }
    var fields: [(String, LogValue)] = [
      ("request_id", .string(requestID)), ("operation", .string(series.operation)),
      ("method", .string(head.method.name)), ("status", .integer(status.code)),
      ("duration_us", .integer(Int(nanoseconds / 1000))),
    ]
    if let problem { fields.append(("code", .string(problem.kind.code))) }
    if let detail = problem?.logDetail { fields.append(("cause", .string(detail))) }
    logger.log(LogRecord(level, "request", fields: fields))
  }

  /// A list that was being streamed could not be read to its end.
  func streamFailed(_ problem: Problem, requestID: String) {
    logger.log(
      LogRecord(
        .error, "stream_failed",
        [
          "request_id": .string(requestID), "code": .string(problem.kind.code),
          "cause": .string(problem.logDetail ?? problem.detail),
        ]))
  }

  /// A content was rendered for so many devices.
  func rendered(_ content: RenderedContent, devices: Int) {
    renders.child(content.mode.rawValue).increment(by: devices)
    // Two texts may have the same; a device has it once.
    for code in Set(content.problems.map(\.code)) {
      renderProblems.child(code).increment(by: devices)
    }
  }

  /// So many devices of an audience get nothing.
  func skipped(_ reason: SkipReason, devices: Int) {
    skippedRenders.child(reason.rawValue).increment(by: devices)
  }

  /// Devices have a build without a catalog, and get texts of another's.
  func catalogMissing(_ app: AppSlug, build: String) {
    logger.log(
      LogRecord(
        .warning, "catalog_missing", ["app": .string(app.text), "app_build": .string(build)]))
  }

  /// An answer of APNs was decided on.
  func feedback(_ decision: FeedbackDecision) {
    feedbackDecisions.child(decision.outcome.rawValue).increment()
  }

  /// A breaker stopped believing that tokens are bad, or began to again.
  func breaker(_ event: FeedbackBreaker.Event, _ app: AppSlug, _ environment: Environment) {
    feedbackBreakers.child(event.rawValue).increment()
    let (level, name): (LogLevel, StaticString) =
      switch event {
      case .opened: (.warning, "feedback_breaker_opened")
      case .closed: (.info, "feedback_breaker_closed")
      }
    logger.log(
      LogRecord(
        level, name,
        ["app": .string(app.text), "environment": .string(environment.rawValue)]))
  }

  /// Something happened on the wire.
  func wire(_ event: HTTPServerEvent) {
    switch event {
    case .connectionOpened: connections.add(1)
    case .connectionClosed: connections.add(-1)
    case .requestRejected(let error):
      rejected.increment()
      logger.log(LogRecord(.info, "request_rejected", ["code": .string(error.code)]))
    case .timedOut(let phase): timeouts.child(phase.rawValue).increment()
    case .streamAborted: aborted.increment()
    }
  }

  /// Something happened to the database.
  func database(_ event: PostgresEvent) {
    switch event {
    case .connected: databaseConnections.add(1)
    case .closed: databaseConnections.add(-1)
    case .disconnected(let error):
      databaseConnections.add(-1)
      databaseFailures.child("disconnected").increment()
      logger.log(
        LogRecord(.warning, "database_disconnected", ["cause": .string(error.description)]))
    case .connectFailed(let error, let pause):
      databaseFailures.child("connect_failed").increment()
      logger.log(
        LogRecord(
          .warning, "database_connect_failed",
          [
            "cause": .string(error.description),
            "retry_after_ms": .integer(Int(pause / 1_000_000)),
          ]))
    case .overloaded: databaseFailures.child("overloaded").increment()
    case .migrated(let name):
      logger.log(LogRecord(.info, "migrated", ["name": .string(name)]))
    }
  }

  /// Something happened to the private PostgreSQL.
  func embedded(_ event: EmbeddedPostgresEvent) {
    func tell(
      _ label: String, _ level: LogLevel, _ name: StaticString,
      _ fields: KeyValuePairs<String, LogValue>
    ) {
      embeddedDatabase.child(label).increment()
      logger.log(LogRecord(level, name, fields))
    }
    switch event {
    case .ended(let reason):
      tell("ended", .error, "embedded_database_ended", ["cause": .string(reason)])
    case .restarted(let milliseconds):
      tell(
        "restarted", .warning, "embedded_database_restarted", ["down_ms": .integer(milliseconds)])
    case .startFailed(let error, let failures):
      tell(
        "start_failed", .error, "embedded_database_start_failed",
        ["cause": .string(error.description), "failures": .integer(failures)])
    case .gaveUp(let error):
      tell("gave_up", .error, "embedded_database_gave_up", ["cause": .string(error.description)])
    }
  }

  /// An app reported that it could not register.
  func reported(_ kind: FailureKind) {
    reportedFailures.child(kind.rawValue).increment()
  }

  /// What the registry holds was counted.
  func counted(_ census: Census, at now: Timestamp) { self.census.show(census, at: now) }

  /// The registry could not be counted; the last numbers stay.
  func censusFailed(_ error: any Error) {
    logger.log(LogRecord(.warning, "census_failed", ["cause": .string("\(error)")]))
  }

  /// The service tidied up.
  func maintained(_ report: MaintenanceReport) {
    for line in report.done {
      logger.log(LogRecord(.info, "maintained", ["action": .string(line)]))
    }
    for line in report.failed {
      logger.log(LogRecord(.warning, "maintenance_failed", ["cause": .string(line)]))
    }
  }

  /// A call could not be written into the audit log: this line is all there is of it.
  func auditFailed(_ entry: AuditEntry, _ error: PostgresError) {
    auditFailures.increment()
    logger.log(
      LogRecord(
        .error, "audit_failed",
        [
          "request_id": .string(entry.requestID), "operation": .string(entry.operation),
          "key_id": .string(entry.keyID.uuidString.lowercased()),
          "status": .integer(Int(entry.status)), "cause": .string(error.description),
        ]))
  }

  /// Something happened to the service itself.
  func note(_ event: StaticString, _ fields: KeyValuePairs<String, LogValue> = [:]) {
    logger.log(LogRecord(.info, event, fields))
  }
}
