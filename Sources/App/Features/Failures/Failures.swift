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
      decode: { request in (request.app.id, try request.decodeBody(FailureReport.self)) },
      perform: { input, call in
        let report = input.1.body
        let id = report.id?.uuid ?? UUID(randomBytes: call.context.shared.randomBytes(16))
        let failure = RegistrationFailure(report, appID: input.0, id: id, now: call.now)
        let isNew = try await call.context.database.transaction { transaction in
          if report.id != nil { transaction.add(LockFailure(failure: failure)) }
          let stored = transaction.add(InsertFailure(failure: failure))
          try await transaction.send()
          return !stored.rows.isEmpty
        }
        if isNew { reported.child(report.kind.rawValue).increment() }
        return Accepted(
          id: id.uuidString.lowercased(), isNew: isNew, ignored: input.1.ignored)
      },
      encode: { accepted, request in
        .json(text: accepted.json, accepted.isNew ? .created : .ok)
          .located(at: "\(request.head.path)/\(accepted.id)")
      })
  }

  private var list: Endpoint {
    .list(
      Self.path, "listFailures", .admin, view: FailureView.init,
      position: { TimeCursor(time: $0.occurredAt, id: $0.id) }, decode: Self.list)
  }

  private struct Accepted: Sendable {
    var id: String
    /// Whether it was not there before.
    var isNew: Bool
    var ignored: [InputProblem]

    var json: [UInt8] {
      var writer = JSONWriter()
      writer.object { writer in
        writer.member("id", id)
        writer.key("ignored")
        writer.array(ignored) { $1.write(to: &$0) }
      }
      return writer.bytes
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
struct FailureView: Encodable, Sendable {
  var failure: RegistrationFailure

  private struct ErrorView: Encodable {
    var domain: String
    var code: Int64
    var message: String?
  }

  private enum CodingKeys: String, CodingKey {
    case id, kind, error, explanation, environment, platform
    case installationID = "installation_id"
    case appVersion = "app_version"
    case osVersion = "os_version"
    case deviceModel = "device_model"
    case occurredAt = "occurred_at"
    case receivedAt = "received_at"
  }

  func encode(to encoder: any Encoder) throws {
    var fields = encoder.container(keyedBy: CodingKeys.self)
    let report = failure.report
    try fields.encode(failure.id.uuidString.lowercased(), forKey: .id)
    try fields.encode(report.kind, forKey: .kind)
    try fields.encode(
      ErrorView(domain: report.domain, code: report.code, message: report.message), forKey: .error)
    try fields.encodeIfPresent(
      FailureExplanation(domain: report.domain, code: report.code), forKey: .explanation)
    try fields.encode(report.installationID?.text, forKey: .installationID)
    try fields.encode(report.environment, forKey: .environment)
    try fields.encode(report.platform, forKey: .platform)
    try fields.encode(report.appVersion, forKey: .appVersion)
    try fields.encode(report.osVersion, forKey: .osVersion)
    try fields.encode(report.deviceModel, forKey: .deviceModel)
    try fields.encode(failure.occurredAt.rfc3339, forKey: .occurredAt)
    try fields.encode(failure.receivedAt.rfc3339, forKey: .receivedAt)
  }
}

extension FailureView: ListItem {
  static let columns: [CSVColumn<Self>] = [
    CSVColumn("id") { $0.failure.id.uuidString.lowercased() },
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
