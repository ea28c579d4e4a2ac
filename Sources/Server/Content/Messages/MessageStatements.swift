internal import JSON
package import Postgres
package import Rendering

/// A message as it is stored.
package struct MessageRecord: NamedRecord, Equatable {
  package var name: String
  /// 1, and one more with every change.
  package var version: Int64
  /// The message's JSON as it came, compact and with sorted members.
  package var body: String
  package var createdAt: Timestamp
  package var updatedAt: Timestamp
  /// A new number with every change of any app, message or catalog; 0 until the message is stored.
  package var tag: Int64

  package static let table = "message"
  /// The columns that a write binds.
  package static let columns = "name, version, body, created_at, updated_at"
  /// The columns that ``init(row:)`` reads, in the order of the properties.
  package static let selection = "\(columns), tag"

  package init(
    name: String, version: Int64, body: String, createdAt: Timestamp, updatedAt: Timestamp,
    tag: Int64 = 0
  ) {
    self.name = name
    self.version = version
    self.body = body
    self.createdAt = createdAt
    self.updatedAt = updatedAt
    self.tag = tag
  }

  package init(row: inout RowReader) throws(PostgresError) { self = try row.next(into: Self.init) }

  /// The message of the body.
  /// - Throws: ``ContentFailure/messageUnreadable`` when the body is of another release, which
  ///   knows more or other members.
  package func message() throws(ContentFailure) -> Message {
    guard let value = JSONValue(parsing: Array(body.utf8)),
      let read = try? value.read(.strict, Message.init(reading:))
    else { throw .messageUnreadable }
    return read.body
  }
}

extension Command where Self == Query<Int64> {
  /// Stores a message, behind ``LockApp``; returns its tag.
  package static func upsertMessage(appID: Int32, record: MessageRecord) -> Self {
    Query(
      """
      INSERT INTO message (app_id, \(constant: MessageRecord.columns)) VALUES (\(appID),
        \(record.name), \(record.version), \(record.body), \(record.createdAt),
        \(record.updatedAt))
      ON CONFLICT (app_id, name) DO UPDATE
      SET version = excluded.version, body = excluded.body, updated_at = excluded.updated_at,
        tag = excluded.tag
      RETURNING tag
      """)
  }
}
