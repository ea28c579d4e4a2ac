package import Postgres

/// A stored part of an app's content with a name of its own: a message, a channel, a catalog.
package protocol NamedRecord: Sendable, RowDecodable {
  static var table: String { get }
  static var nameColumn: String { get }
  /// The columns that a reading needs.
  static var selection: String { get }
}

extension NamedRecord {
  package static var nameColumn: String { "name" }
}

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

extension NamedRecord {
  /// An app's records by name: a page and one row more, or all.
  package static func list(of appID: Int32, after: String = "", limit: Int? = nil) -> Query<Self> {
    Query(
      """
      SELECT \(constant: selection) FROM \(constant: table)
      WHERE app_id = \(appID) AND \(constant: nameColumn) > \(after)
      ORDER BY \(constant: nameColumn) LIMIT \(limit.map { Int64($0 + 1) })
      """)
  }

  /// How many records of the kind an app has.
  package static func count(of appID: Int32) -> Query<Int64> {
    Query("SELECT count(*) FROM \(constant: table) WHERE app_id = \(appID)")
  }
}

extension RecordKey {
  /// Deletes the record, if there is one: a catalog with its files.
  package var deletion: Query<Void> {
    Query(
      """
      DELETE FROM \(constant: Record.table)
      WHERE app_id = \(appID) AND \(constant: Record.nameColumn) = \(text)
      """)
  }
}
