internal import JSON
package import Postgres
package import Rendering

/// A message as it is stored.
package struct MessageRecord: Sendable, Equatable, RowDecodable {
  package var name: String
  /// 1, and one more with every change.
  package var version: Int64
  /// Its JSON as it came, compact and with sorted members.
  package var body: String
  package var createdAt: Timestamp
  package var updatedAt: Timestamp
  /// Another one with every change, of any app, message or catalog; 0 until it is stored.
  package var tag: Int64 = 0

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

/// One message.
package struct LoadMessage: Statement {
  package typealias Row = MessageRecord
  package static let sql = """
    SELECT \(MessageRecord.selection) FROM message WHERE app_id = $1 AND name = $2
    """
  package let key: MessageKey

  package init(_ key: MessageKey) { self.key = key }

  package func bind(to parameters: inout Parameters) { parameters.append(key) }
}

/// An app's messages by name: a page and one row more, or all.
package struct ListMessages: Statement {
  package typealias Row = MessageRecord
  package static let sql = """
    SELECT \(MessageRecord.selection) FROM message WHERE app_id = $1 AND name > $2
    ORDER BY name LIMIT $3
    """
  package let appID: Int32
  package let after: String
  package let limit: Int?

  package init(appID: Int32, after: String, limit: Int?) {
    self.appID = appID
    self.after = after
    self.limit = limit
  }

  package func bind(to parameters: inout Parameters) {
    parameters.append(appID, after, limit.map { Int64($0 + 1) })
  }
}

/// How many messages an app has.
package struct CountMessages: Statement {
  package typealias Row = Int64
  package static let sql = "SELECT count(*) FROM message WHERE app_id = $1"
  package let appID: Int32

  package init(appID: Int32) {
    self.appID = appID
  }

  package func bind(to parameters: inout Parameters) { parameters.append(appID) }
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

/// Deletes a message.
package struct DeleteMessage: Statement {
  package static let sql = "DELETE FROM message WHERE app_id = $1 AND name = $2"
  package let key: MessageKey

  package init(_ key: MessageKey) { self.key = key }

  package func bind(to parameters: inout Parameters) { parameters.append(key) }
}
