internal import JSON
internal import Postgres
internal import Rendering

/// A message as it is stored.
struct MessageRecord: Sendable, Equatable {
  var name: String
  /// 1, and one more with every change.
  var version: Int64
  /// Its JSON as it came, compact and with sorted members.
  var body: String
  var createdAt: Timestamp
  var updatedAt: Timestamp
  /// Another one with every change, of any app, message or catalog; 0 until it is stored.
  var tag: Int64 = 0

  /// What tells the state from others.
  var entityTag: EntityTag { EntityTag(tag) }

  /// The columns that a write binds.
  static let columns = "name, version, body, created_at, updated_at"
  /// The columns that ``init(row:)`` reads.
  static let selection = "\(columns), tag"

  init(
    name: String, version: Int64, body: String, createdAt: Timestamp, updatedAt: Timestamp
  ) {
    self.name = name
    self.version = version
    self.body = body
    self.createdAt = createdAt
    self.updatedAt = updatedAt
  }

  init(row: inout RowReader) throws(PostgresError) {
    name = try row.next()
    version = try row.next()
    body = try row.next()
    createdAt = try row.next()
    updatedAt = try row.next()
    tag = try row.next()
  }

  /// The message that the body says.
  /// - Throws: ``Problem`` when it is of another release, which knows more or other members.
  func message() throws(Problem) -> Message {
    guard let value = JSONValue(parsing: Array(body.utf8)),
      let read = try? value.read(.strict, Message.init(reading:))
    else {
      throw Problem(
        .messageUnreadable, "Another release stored the message, and this one cannot read it.")
    }
    return read.body
  }
}

/// One message.
struct LoadMessage: Statement {
  static let sql = """
    SELECT \(MessageRecord.selection) FROM message WHERE app_id = $1 AND name = $2
    """
  let key: MessageStore.Key

  init(_ key: MessageStore.Key) { self.key = key }

  func bind(to parameters: inout Parameters) {
    parameters.append(key.appID)
    parameters.append(key.name.text)
  }

  static func decode(_ row: inout RowReader) throws(PostgresError) -> MessageRecord {
    try MessageRecord(row: &row)
  }
}

/// An app's messages by name: a page and one row more, or all.
struct ListMessages: Statement {
  static let sql = """
    SELECT \(MessageRecord.selection) FROM message WHERE app_id = $1 AND name > $2
    ORDER BY name LIMIT $3
    """
  let appID: Int32
  let after: String
  let limit: Int?

  func bind(to parameters: inout Parameters) {
    parameters.append(appID)
    parameters.append(after)
    parameters.append(limit.map { Int64($0 + 1) })
  }

  static func decode(_ row: inout RowReader) throws(PostgresError) -> MessageRecord {
    try MessageRecord(row: &row)
  }
}

/// How many messages an app has.
struct CountMessages: Statement {
  static let sql = "SELECT count(*) FROM message WHERE app_id = $1"
  let appID: Int32

  func bind(to parameters: inout Parameters) { parameters.append(appID) }

  static func decode(_ row: inout RowReader) throws(PostgresError) -> Int64 { try row.next() }
}

/// Stores a message, behind ``LockContents``; returns its tag.
struct UpsertMessage: Statement {
  static let sql = """
    INSERT INTO message (app_id, \(MessageRecord.columns)) VALUES ($1, $2, $3, $4, $5, $6)
    ON CONFLICT (app_id, name) DO UPDATE
    SET version = excluded.version, body = excluded.body, updated_at = excluded.updated_at,
      tag = excluded.tag
    RETURNING tag
    """
  let appID: Int32
  let record: MessageRecord

  func bind(to parameters: inout Parameters) {
    parameters.append(appID)
    parameters.append(record.name)
    parameters.append(record.version)
    parameters.append(record.body)
    parameters.append(record.createdAt)
    parameters.append(record.updatedAt)
  }

  static func decode(_ row: inout RowReader) throws(PostgresError) -> Int64 { try row.next() }
}

/// Deletes a message.
struct DeleteMessage: Statement {
  static let sql = "DELETE FROM message WHERE app_id = $1 AND name = $2"
  let key: MessageStore.Key

  func bind(to parameters: inout Parameters) {
    parameters.append(key.appID)
    parameters.append(key.name.text)
  }
}
