internal import Crypto
internal import DeviceProfile
internal import FoundationEssentials
internal import HTTP
internal import JSON
internal import Postgres
internal import Registry
internal import Telemetry

/// Errors that apps got when a registration failed. Clients report them, and admins list them.
struct Failures: Sendable {
  private static let path = "/v1/apps/{app}/failures"

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
          transaction.add(LockApps(ids: [call.app.id]))
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

  /// Writes an event about a burst of failures, for the feed of changes: once, and not again while
  /// the burst goes on.
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
  ) throws -> Query<RegistrationFailure> {
    .listFailures(
      FailureFilter(&query, appID: request.app.id), before: span.after ?? .end, limit: span.limit)
  }
}

/// A failure as the list shows it: the shape of the report, and the time of arrival.
struct FailureView: ListItem {
  let failure: RegistrationFailure

  static let fields = ItemFields<Self>([
    .text("id") { $0.failure.id.text },
    .text("kind") { $0.failure.report.kind.rawValue },
    .column("domain") { $0.failure.report.domain },
    .column("code") { String($0.failure.report.code) },
    .column("message") { $0.failure.report.message },
    .text("installation_id") { $0.failure.report.installationID?.text },
    .text("environment") { $0.failure.report.environment?.rawValue },
    .text("platform") { $0.failure.report.platform?.rawValue },
    .text("app_version") { $0.failure.report.appVersion },
    .text("os_version") { $0.failure.report.osVersion },
    .text("device_model") { $0.failure.report.deviceModel },
    .text("occurred_at") { $0.failure.occurredAt.rfc3339 },
    .text("received_at") { $0.failure.receivedAt.rfc3339 },
    .member("error") { item, writer in
      let report = item.failure.report
      writer.key("error")
      writer.object { writer in
        writer.member("code", report.code)
        writer.member("domain", report.domain)
        if let message = report.message { writer.member("message", message) }
      }
      if let explanation = FailureExplanation(domain: report.domain, code: report.code) {
        writer.member("explanation", explanation.jsonValue)
      }
    },
  ])
}
