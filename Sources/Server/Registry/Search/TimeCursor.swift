package import FoundationEssentials
package import Postgres

/// A place in a list ordered by time and id.
package struct TimeCursor: Hashable, Sendable {
  package var time: Timestamp
  package var id: UUID

  package init(time: Timestamp, id: UUID) {
    self.time = time
    self.id = id
  }

  /// Before everything: nothing is older than 1970.
  package static let start = TimeCursor(
    time: Timestamp(microseconds: 0),
    id: UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)))

  /// Behind everything: the last time that RFC 3339 can write.
  package static let end = TimeCursor(
    time: Timestamp(microseconds: Timestamp.writable.upperBound), id: start.id)
}

/// As a list's cursor: microseconds and id.
extension TimeCursor: Codable {
  package init(from decoder: any Decoder) throws {
    var fields = try decoder.unkeyedContainer()
    let microseconds = try fields.decode(Int64.self)
    guard Timestamp.writable.contains(microseconds) else {
      throw DecodingError.dataCorruptedError(in: fields, debugDescription: "no time of a row")
    }
    time = Timestamp(microseconds: microseconds)
    id = try fields.decode(UUID.self)
  }

  package func encode(to encoder: any Encoder) throws {
    var fields = encoder.unkeyedContainer()
    try fields.encode(time.microseconds)
    try fields.encode(id)
  }
}
