internal import Crypto
internal import DeviceProfile
internal import FoundationEssentials
internal import HTTP
internal import JSON
internal import Postgres
internal import Registry
internal import Telemetry

/// What apps heard when a registration failed: taken from clients, listed for admins.
struct Failures: Sendable {
  private static let path = "/v1/apps/{app}/failures"

  /// Failures by kind.
  private let reported: MetricFamily<Counter>

  init(_ observation: Observation) {
    reported = observation.metrics.counter(
      "postilion_registration_failures_total", "Failed registrations that apps reported, by kind.",
      "kind", FailureKind.allCases.map(\.rawValue))
  }

  var endpoints: [Endpoint] { [report, list, FailureSummary.endpoint] }

  private var report: Endpoint {
    Endpoint(
      .post, Self.path, "reportFailure", .client, body: .json(limit: Limits.failureBodyBytes),
      decode: { request in try request.decodeBody(FailureReport.self) },
      perform: { decoded, call in
        try call.admit(rows: RegistrationFailure.addedRows, .failures)
        let report = decoded.body
        let id = report.id?.uuid ?? UUID(randomBytes: call.context.shared.randomBytes(16))
        let failure = RegistrationFailure(report, appID: call.app.id, id: id, now: call.now)
        let isNew = try await call.context.database.transaction { transaction in
          if report.id != nil { transaction.add(LockFailure(failure: failure)) }
          let stored = transaction.add(InsertFailure(failure: failure))
          let recent = transaction.add(CountRecentFailures(failure: failure))
          try await transaction.send()
          guard !stored.rows.isEmpty else { return false }
          try await tellBurst(of: failure, recent.rows.first ?? 0, in: transaction)
          return true
        }
        if isNew { reported.child(report.kind.rawValue).increment() }
        return Accepted(
          id: id.text, isNew: isNew, ignored: decoded.ignored)
      },
      encode: { accepted, request in
        .json(accepted, accepted.isNew ? .created : .ok)
          .located(at: "\(request.head.path)/\(accepted.id)")
      })
  }

  /// Writes down that there are many, for the feed of changes: once, and not again while it goes
  /// on.
  private func tellBurst(
    of failure: RegistrationFailure, _ recent: Int64, in transaction: Transaction
  ) async throws {
    guard recent >= Limits.failureBurst else { return }
    let now = failure.receivedAt
    let event = AppEvent(
      appID: failure.appID, name: .failureBurst, source: .app, at: now,
      kind: failure.report.kind.rawValue)
    transaction.add(LockAppFor(.eventOnce, appID: failure.appID))
    transaction.add(
      InsertAppEventOnce(event: event, since: now.advanced(by: .zero - Limits.failureBurstRest)))
    try await transaction.send()
  }

  private var list: Endpoint {
    .list(
      Self.path, "listFailures", .admin, view: FailureView.init,
      position: { TimeCursor(time: $0.occurredAt, id: $0.id) }, mayLag: true, decode: Self.list)
  }

  private struct Accepted: JSONWritable, Sendable {
    let id: String
    /// Whether it was not there before.
    let isNew: Bool
    let ignored: [InputProblem]

    func write(to writer: inout JSONWriter) {
      writer.object { writer in
        writer.member("id", id)
        writer.member("ignored", ignored)
      }
    }
  }

  private static func list(
    _ request: Request, _ query: inout QueryReader, _ span: ListSpan<TimeCursor>
  ) throws -> ListFailures {
    ListFailures(
      filter: FailureFilter(&query, appID: request.app.id), before: span.after ?? .end,
      limit: span.limit)
  }
}

/// A failure as the list shows it: the report's shape, and when it came.
struct FailureView: ListItem {
  let failure: RegistrationFailure

  func write(to writer: inout JSONWriter) {
    let report = failure.report
    writer.object { writer in
      writer.member("app_version", report.appVersion)
      writer.member("device_model", report.deviceModel)
      writer.member("environment", report.environment?.rawValue)
      writer.key("error")
      writer.object { writer in
        writer.member("code", report.code)
        writer.member("domain", report.domain)
        if let message = report.message { writer.member("message", message) }
      }
      if let explanation = FailureExplanation(domain: report.domain, code: report.code) {
        writer.member("explanation", explanation.jsonValue)
      }
      writer.member("id", failure.id.text)
      writer.member("installation_id", report.installationID?.text)
      writer.member("kind", report.kind.rawValue)
      writer.member("occurred_at", failure.occurredAt.rfc3339)
      writer.member("os_version", report.osVersion)
      writer.member("platform", report.platform?.rawValue)
      writer.member("received_at", failure.receivedAt.rfc3339)
    }
  }

  static let columns: [CSVColumn<Self>] = [
    CSVColumn("id") { $0.failure.id.text },
    CSVColumn("kind") { $0.failure.report.kind.rawValue },
    CSVColumn("domain") { $0.failure.report.domain },
    CSVColumn("code") { String($0.failure.report.code) },
    CSVColumn("message") { $0.failure.report.message },
    CSVColumn("installation_id") { $0.failure.report.installationID?.text },
    CSVColumn("environment") { $0.failure.report.environment?.rawValue },
    CSVColumn("platform") { $0.failure.report.platform?.rawValue },
    CSVColumn("app_version") { $0.failure.report.appVersion },
    CSVColumn("os_version") { $0.failure.report.osVersion },
    CSVColumn("device_model") { $0.failure.report.deviceModel },
    CSVColumn("occurred_at") { $0.failure.occurredAt.rfc3339 },
    CSVColumn("received_at") { $0.failure.receivedAt.rfc3339 },
  ]
}
