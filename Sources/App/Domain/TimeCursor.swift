import FoundationEssentials
import Postgres

/// A place in a list ordered by time and id.
struct TimeCursor: Hashable, Sendable {
  var time: Timestamp
  var id: UUID

  /// Before everything: nothing is older than 1970.
  static let start = TimeCursor(
    time: Timestamp(microseconds: 0),
    id: UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)))
}
