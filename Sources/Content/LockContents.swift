package import Postgres

/// Has the changes of an app's messages and catalogs wait for each other; no row when the app is
/// deleted.
package struct LockContents: Statement {
  package static let sql =
    "SELECT id FROM app WHERE id = $1 AND deleted_at IS NULL FOR NO KEY UPDATE"
  package let appID: Int32

  package func bind(to parameters: inout Parameters) { parameters.append(appID) }

  package static func decode(_ row: inout RowReader) throws(PostgresError) -> Int32 {
    try row.next()
  }
}

extension Transaction.Pending where S == LockContents {
  /// Looks at the app, once the statement was sent.
  /// - Throws: ``ContentFailure/appDeleted``.
  package func checkApp() throws(ContentFailure) {
    if rows.isEmpty { throw .appDeleted }
  }
}
