internal import EventLoop
internal import HTTP
internal import Telemetry

/// Tells the log and the metrics of answered requests.
struct RequestMetrics: Sendable {
  /// One operation's series, resolved once.
  struct Series: Sendable {
    let operation: String
    fileprivate let byClass: [Counter]
    fileprivate let duration: Histogram
  }

  private static let statusClasses = ["1xx", "2xx", "3xx", "4xx", "5xx"]

  private let observation: Observation
  private let requests: MetricFamily<Counter>
  private let durations: MetricFamily<Histogram>

  init(_ observation: Observation, operations: [String]) {
    self.observation = observation
    let operation = MetricLabel("operation", operations)
    requests = observation.metrics.counter(
      "postilion_http_requests_total", "Requests answered, by operation and class of status.",
      labels: [operation, MetricLabel("status", Self.statusClasses)])
    durations = observation.metrics.histogram(
      "postilion_http_request_duration_seconds", "From the head of a request to its answer.",
      labels: [operation], bounds: Histogram.requestMicroseconds, unitsPerOne: 1_000_000)
  }

  func series(_ operation: String) -> Series {
    Series(
      operation: operation,
      byClass: Self.statusClasses.map { requests.child(operation, $0) },
      duration: durations.child(operation))
  }

  func answered(
    _ series: Series, _ head: RequestHead, from client: @autoclosure () -> IPAddress?,
    status: Status, nanoseconds: UInt64, requestID: String, problem: Problem?
  ) {
    series.byClass[min(max(status.code / 100 - 1, 0), 4)].increment()
    series.duration.observe(Int(nanoseconds / 1000))
    // A line for each call of a flood would be a flood of lines.
    let isTurnedAway = problem?.kind == .rateLimited
    let level: LogLevel =
      status.code >= 500 ? .error : status.code >= 400 && !isTurnedAway ? .info : .debug
    guard level >= observation.logger.minimumLevel else { return }
    var fields: [(String, LogValue)] = [
      ("request_id", .string(requestID)), ("operation", .string(series.operation)),
      ("method", .string(head.method.name)), ("status", .integer(status.code)),
      ("duration_us", .integer(Int(nanoseconds / 1000))),
    ]
    if let problem {
      fields.append(("code", .string(problem.kind.code)))
      // Addresses are personal data: the log has them only for requests that were refused or
      // failed.
      if let client = client() { fields.append(("client", .string(client.description))) }
    }
    if let detail = problem?.logDetail { fields.append(("cause", .string(detail))) }
    observation.logger.log(LogRecord(level, "request", fields: fields, repetition: .written))
  }
}
