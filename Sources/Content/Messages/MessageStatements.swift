internal import JSON
package import Postgres
package import Rendering

/// A message as it is stored.
package struct MessageRecord: NamedRecord, Equatable {
  package var name: String
  /// 1, and one more with every change.
  package var version: Int64
  /// Its JSON as it came, compact and with sorted members.
  package var body: String
  package var createdAt: Timestamp
  package var updatedAt: Timestamp
  /// Another one with every change, of any app, message or catalog; 0 until it is stored.
  package var tag: Int64 = 0

  package static let table = "message"
  /// The columns that a write binds.
  package static let columns = "name, version, body, created_at, updated_at"
  /// The columns that ``init(row:)`` reads.
  package static let selection = "\(columns), tag"

  package init(
    name: String, version: Int64, body: String, createdAt: Timestamp, updatedAt: Timestamp
  ) {
    self.name = name
    self.version = version
    self.body = body
    self.createdAt = createdAt
    self.updatedAt = updatedAt
  }

  package init(row: inout RowReader) throws(PostgresError) {
    name = try row.next()
    version = try row.next()
    body = try row.next()
    createdAt = try row.next()
    updatedAt = try row.next()
    tag = try row.next()
  }

  /// The message that the body says.
  /// - Throws: ``ContentFailure/messageUnreadable`` when it is of another release, which knows more
  ///   or other members.
  package func message() throws(ContentFailure) -> Message {
    guard let value = JSONValue(parsing: Array(body.utf8)),
      let read = try? value.read(.strict, Message.init(reading:))
    else { throw .messageUnreadable }
    return read.body
  }
}

/// Stores a message, behind ``LockApp``; returns its tag.
package struct UpsertMessage: Statement {
  package typealias Row = Int64
  package static let sql = """
    INSERT INTO message (app_id, \(MessageRecord.columns)) VALUES ($1, $2, $3, $4, $5, $6)
    ON CONFLICT (app_id, name) DO UPDATE
    SET version = excluded.version, body = excluded.body, updated_at = excluded.updated_at,
      tag = excluded.tag
    RETURNING tag
    """
  package let appID: Int32
  package let record: MessageRecord

  package init(appID: Int32, record: MessageRecord) {
    self.appID = appID
    self.record = record
  }

  package func bind(to parameters: inout Parameters) {
    parameters.append(
      appID, record.name, record.version, record.body, record.createdAt, record.updatedAt)
  }
}
