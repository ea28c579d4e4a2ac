internal import Crypto
internal import EventLoop
internal import FoundationEssentials
internal import HTTP
internal import HTTPServer
internal import Postgres
internal import Synchronization
internal import Telemetry

/// Tells the log and the metrics what happens to requests, connections and the database. Call sites
/// only say what happened; this class decides whether and how it is shown. A feature tells the
/// events that only it knows of by itself, with the same log and registry.
///
/// Metrics count each event. A line that repeats is written once, and then counted. Lines that are
/// `written` are the exception: lines of calls, and lines of a work that ends by itself.
final class Observation: Sendable {
  let logger: Logger
  let metrics = MetricsRegistry()
  private let rejected: Counter
  private let timeouts: MetricFamily<Counter>
  private let turnedAway: Counter
  private let givenUp: Counter
  private let aborted: Counter
  private let connections: Gauge
  private let databaseConnections: Gauge
  private let databaseFailures: MetricFamily<Counter>
  private let embeddedDatabase: MetricFamily<Counter>
  private let auditFailures: Counter
  private let hasToldOfProxy = Atomic(false)
  /// Why the private PostgreSQL is down, in a sentence for people who can repair it; `nil` when it
  /// is not down, or starts again by itself.
  private let trouble = Mutex<String?>(nil)
  private let keptFitness = Mutex(DatabaseFitness())
  private let isTooOld = Atomic(false)

  init(logger: Logger) {
    self.logger = logger
    rejected = metrics.counter(
      "postilion_http_rejected_total", "Bytes that were no request and got an error and a close."
    ).child()
    timeouts = metrics.counter(
      "postilion_http_timeouts_total", "Peers that were too slow, by what they were late with.",
      "phase", ["head", "body", "idle", "write"])
    turnedAway = metrics.counter(
      "postilion_http_bodies_turned_away_total", "Bodies that found no room in memory."
    ).child()
    givenUp = metrics.counter(
      "postilion_http_connections_given_up_total",
      "Connections that would have held more bytes than there was room for."
    ).child()
    aborted = metrics.counter(
      "postilion_http_streams_aborted_total", "Streamed answers that broke off."
    ).child()
    connections = metrics.gauge("postilion_http_connections", "Open client connections.").child()
    databaseConnections = metrics.gauge(
      "postilion_database_connections", "Open pipelined database connections."
    ).child()
    databaseFailures = metrics.counter(
      "postilion_database_failures_total", "Connections lost or refused, statements turned away.",
      "kind", ["disconnected", "connect_failed", "overloaded"])
    embeddedDatabase = metrics.counter(
      "postilion_embedded_database_total", "What happened to the private PostgreSQL.",
      "event", ["ended", "restarted", "start_failed", "gave_up"])
    auditFailures = metrics.counter(
      "postilion_audit_failures_total", "Calls of admins that the audit log does not hold."
    ).child()
    metrics.counter(
      "postilion_log_lines_dropped_total", "Log lines that the log's reader was too slow for."
    ) { logger.dropped }
    metrics.declareProcessMetrics()
    metrics.gauge(
      "postilion_database_unfit",
      "1 when the schema is not as this release needs it, or no server of the cluster has its rows."
    ) { [unowned self] in fitness.fault == nil ? 0 : 1 }
    metrics.gauge(
      "postilion_cluster_servers_down",
      "Servers of the cluster (Citus) that were not reached when last looked at."
    ) { [unowned self] in Double(fitness.serversDown) }
  }

  /// Whether the database can be served, as the last look found. Before the first look it can.
  var fitness: DatabaseFitness { keptFitness.withLock { $0 } }

  /// Why no call is answered and nothing is written: the program is too old for the schema. `nil`
  /// when the program is not too old.
  var refusal: PostgresError? {
    guard isTooOld.load(ordering: .relaxed), let fault = fitness.fault else { return nil }
    return PostgresError(.outdated, fault)
  }

  /// Somebody looked whether the database can be served.
  func found(_ fitness: DatabaseFitness) {
    isTooOld.store(fitness.isTooOld, ordering: .relaxed)
    let before = keptFitness.withLock { kept in
      defer { kept = fitness }
      return kept
    }
    guard fitness != before else { return }
    if let fault = fitness.fault {
      logger.log(.error, "database_unfit", ["cause": .string(fault)])
    } else if let degradation = fitness.degradation {
      logger.log(.warning, "database_degraded", ["cause": .string(degradation)])
    } else {
      note("database_fit")
    }
  }

  /// A streamed answer broke off. The log is told why, unless the fault was the caller's, whose
  /// body is no HTTP.
  /// - Returns: The problem for the reader, as JSON.
  func streamFailed(_ error: any Error, requestID: String) -> [UInt8] {
    let problem = Problem(error)
    guard !(error is ParseError) else { return problem.json(requestID: requestID) }
    logger.log(
      LogRecord(
        .error, "stream_failed",
        [
          "request_id": .string(requestID), "code": .string(problem.kind.code),
          "cause": .string(problem.logDetail ?? problem.detail),
        ], repetition: .written))
    return problem.json(requestID: requestID)
  }

  func wire(_ event: HTTPServerEvent) {
    switch event {
    case .connectionOpened: connections.add(1)
    case .connectionClosed: connections.add(-1)
    case .requestRejected(let error, let peer):
      rejected.increment()
      var fields: [(String, LogValue)] = [("code", .string(error.code))]
      if let peer { fields.append(("client", .string(peer.description))) }
      logger.log(LogRecord(.info, "request_rejected", fields: fields))
    case .timedOut(let phase): timeouts.child(phase.rawValue).increment()
    case .bodyTurnedAway: turnedAway.increment()
    case .connectionGivenUp: givenUp.increment()
    case .streamAborted: aborted.increment()
    }
  }

  /// Something happened to one of the connections to the database that are counted.
  func database(_ event: PostgresEvent) {
    switch event {
    case .connected: databaseConnections.add(1)
    case .closed, .disconnected: databaseConnections.add(-1)
    case .connectFailed, .overloaded: break
    }
    databaseFailed(event)
  }

  /// Something went wrong with a connection to the database.
  func databaseFailed(_ event: PostgresEvent) {
    switch event {
    case .connected, .closed: break
    case .disconnected(let error):
      databaseFailures.child("disconnected").increment()
      logger.log(.warning, "database_disconnected", ["cause": .string(error.description)])
    case .connectFailed(let error, let pause):
      databaseFailures.child("connect_failed").increment()
      logger.log(
        .warning, "database_connect_failed",
        [
          "cause": .string(error.description),
          "retry_after_ms": .integer(Int(pause / 1_000_000)),
        ])
    case .overloaded: databaseFailures.child("overloaded").increment()
    }
  }

  /// Why the private PostgreSQL is down, as far as somebody has to mend it.
  var embeddedTrouble: String? { trouble.withLock { $0 } }

  func embedded(_ event: EmbeddedPostgresEvent) {
    func tell(
      _ label: String, _ level: LogLevel, _ name: StaticString,
      _ fields: KeyValuePairs<String, LogValue>
    ) {
      embeddedDatabase.child(label).increment()
      logger.log(level, name, fields)
    }
    switch event {
    case .ended(let reason):
      tell("ended", .error, "embedded_database_ended", ["cause": .string(reason)])
    case .restarted(let milliseconds):
      trouble.withLock { $0 = nil }
      tell(
        "restarted", .warning, "embedded_database_restarted", ["down_ms": .integer(milliseconds)])
    case .startFailed(let error, let failures):
      if case .diskFull = error { trouble.withLock { $0 = Self.fullDisk } }
      tell(
        "start_failed", .error, "embedded_database_start_failed",
        ["cause": .string(error.description), "failures": .integer(failures)])
    case .gaveUp(let error):
      tell("gave_up", .error, "embedded_database_gave_up", ["cause": .string(error.description)])
    }
  }

  private static let fullDisk =
    "The disk of the database is full; the database starts again once there is room."

  /// A call came through a proxy on this machine that is not trusted; the first one is told.
  func proxyNotTrusted() {
    guard !hasToldOfProxy.exchange(true, ordering: .relaxed) else { return }
    logger.log(
      .warning, "proxy_not_trusted",
      [
        "setting": .string("POSTILION_TRUSTED_PROXIES"),
        "cause": .string(
          "A proxy on this machine is not trusted, and no address limits the calls that come "
            + "through it: set POSTILION_TRUSTED_PROXIES=127.0.0.1,::1"),
      ])
  }

  /// A call could not be written into the audit log: this line is the only record of it.
  func auditFailed(_ entry: AuditEntry, _ error: PostgresError) {
    auditFailures.increment()
    logger.log(
      LogRecord(
        .error, "audit_failed",
        [
          "request_id": .string(entry.requestID), "operation": .string(entry.operation),
          "key_id": .string(entry.keyID.text),
          "status": .integer(Int(entry.status)), "cause": .string(error.description),
        ], repetition: .written))
  }

  /// Something happened to the service itself.
  func note(_ event: StaticString, _ fields: KeyValuePairs<String, LogValue> = [:]) {
    logger.log(.info, event, fields)
  }
}
