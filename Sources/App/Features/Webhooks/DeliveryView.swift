internal import Crypto
internal import FoundationEssentials
internal import JSON
internal import Postgres
internal import Registry

/// How far a delivery is.
enum DeliveryState: String, Sendable, CaseIterable {
  /// The receiver is yet to get it; goes to one of the others.
  case pending
  /// The receiver has it.
  case delivered
  /// It was given up.
  case failed
}

/// A delivery as a list reads it.
struct DeliveryRow: Sendable {
  let id: String
  let number: Int64
  let event: String
  let installation: UUID?
  let happenedAt: Timestamp
  let state: DeliveryState
  let attempts: Int16
  let lastAttemptAt: Timestamp?
  let nextAttemptAt: Timestamp?
  let status: Int16?
  let failure: String?
  let milliseconds: Int32?
}

extension DeliveryRow {
  /// A trial, which is over.
  init(_ attempt: AttemptRecord) {
    self.init(
      id: attempt.delivery.id, number: 0, event: attempt.delivery.event, installation: nil,
      happenedAt: attempt.began, state: attempt.outcome.isDelivered ? .delivered : .failed,
      attempts: 1, lastAttemptAt: attempt.began, nextAttemptAt: nil, status: attempt.status,
      failure: attempt.failure, milliseconds: attempt.milliseconds)
  }
}

/// A delivery as answers show it.
struct DeliveryView: ListItem {
  let row: DeliveryRow

  func write(to writer: inout JSONWriter) {
    writer.object { writer in
      writer.member("attempts", row.attempts)
      writer.member("duration_ms", row.milliseconds)
      writer.member("event", row.event)
      writer.member("failure", row.failure)
      writer.member("happened_at", row.happenedAt.rfc3339)
      writer.member("id", row.id)
      writer.member("installation_id", row.installation?.text)
      writer.member("last_attempt_at", row.lastAttemptAt?.rfc3339)
      writer.member("next_attempt_at", row.nextAttemptAt?.rfc3339)
      writer.member("state", row.state.rawValue)
      writer.member("status", row.status)
    }
  }

  static let columns: [CSVColumn<Self>] = [
    CSVColumn("id") { $0.row.id },
    CSVColumn("event") { $0.row.event },
    CSVColumn("installation_id") { $0.row.installation?.text },
    CSVColumn("happened_at") { $0.row.happenedAt.rfc3339 },
    CSVColumn("state") { $0.row.state.rawValue },
    CSVColumn("attempts") { String($0.row.attempts) },
    CSVColumn("last_attempt_at") { $0.row.lastAttemptAt?.rfc3339 },
    CSVColumn("next_attempt_at") { $0.row.nextAttemptAt?.rfc3339 },
    CSVColumn("status") { $0.row.status.map { String($0) } },
    CSVColumn("failure") { $0.row.failure },
    CSVColumn("duration_ms") { $0.row.milliseconds.map { String($0) } },
  ]
}
