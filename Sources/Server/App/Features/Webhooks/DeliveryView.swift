internal import Crypto
internal import FoundationEssentials
internal import JSON
internal import Postgres
internal import Registry

/// How far a delivery is.
enum DeliveryState: String, PostgresValue, CaseIterable {
  /// The receiver is yet to get the delivery; later the state becomes one of the others.
  case pending
  /// The receiver has the delivery.
  case delivered
  /// The delivery was given up.
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

  static let fields = ItemFields<Self>([
    .text("id") { $0.row.id },
    .text("event") { $0.row.event },
    .text("installation_id") { $0.row.installation?.text },
    .text("happened_at") { $0.row.happenedAt.rfc3339 },
    .text("state") { $0.row.state.rawValue },
    .number("attempts") { Int64($0.row.attempts) },
    .text("last_attempt_at") { $0.row.lastAttemptAt?.rfc3339 },
    .text("next_attempt_at") { $0.row.nextAttemptAt?.rfc3339 },
    .number("status") { $0.row.status.map(Int64.init) },
    .text("failure") { $0.row.failure },
    .number("duration_ms") { $0.row.milliseconds.map(Int64.init) },
  ])
}
