package import Postgres

/// What is stored of an app's content under a name of its own: a message, a channel, a catalog.
package protocol NamedRecord: Sendable, RowDecodable {
  static var table: String { get }
  /// The column of the names.
  static var nameColumn: String { get }
  /// The columns that it reads.
  static var selection: String { get }
}

extension NamedRecord {
  package static var nameColumn: String { "name" }
}

/// Names a record.
package protocol RecordKey: Hashable, Sendable {
  associatedtype Record: NamedRecord
  var appID: Int32 { get }
  /// The name as it is stored.
  var text: String { get }
}

extension Parameters {
  /// Appends the app and the name.
  mutating func append(_ key: some RecordKey) { append(key.appID, key.text) }
}

/// One record.
package struct LoadRecord<Key: RecordKey>: Statement {
  package typealias Row = Key.Record
  package static var sql: String {
    """
    SELECT \(Row.selection) FROM \(Row.table) WHERE app_id = $1 AND \(Row.nameColumn) = $2
    """
  }
  package let key: Key

  package init(_ key: Key) { self.key = key }

  package func bind(to parameters: inout Parameters) { parameters.append(key) }
}

/// An app's records by name: a page and one row more, or all.
package struct ListRecords<Record: NamedRecord>: Statement {
  package typealias Row = Record
  package static var sql: String {
    """
    SELECT \(Row.selection) FROM \(Row.table) WHERE app_id = $1 AND \(Row.nameColumn) > $2
    ORDER BY \(Row.nameColumn) LIMIT $3
    """
  }
  package let appID: Int32
  package let after: String
  package let limit: Int?

  package init(appID: Int32, after: String = "", limit: Int? = nil) {
    self.appID = appID
    self.after = after
    self.limit = limit
  }

  package func bind(to parameters: inout Parameters) {
    parameters.append(appID, after, limit.map { Int64($0 + 1) })
  }
}

/// How many records of a kind an app has.
package struct CountRecords<Record: NamedRecord>: Statement {
  package typealias Row = Int64
  package static var sql: String { "SELECT count(*) FROM \(Record.table) WHERE app_id = $1" }
  package let appID: Int32

  package init(appID: Int32) { self.appID = appID }

  package func bind(to parameters: inout Parameters) { parameters.append(appID) }
}

/// Deletes a record, if there is one: a catalog with its files.
package struct DeleteRecord<Key: RecordKey>: Statement {
  package static var sql: String {
    "DELETE FROM \(Key.Record.table) WHERE app_id = $1 AND \(Key.Record.nameColumn) = $2"
  }
  package let key: Key

  package init(_ key: Key) { self.key = key }

  package func bind(to parameters: inout Parameters) { parameters.append(key) }
}
