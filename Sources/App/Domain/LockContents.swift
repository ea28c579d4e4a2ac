internal import Postgres

/// Has the changes of an app's messages and catalogs wait for each other; no row when the app is
/// deleted.
struct LockContents: Statement {
  static let sql = "SELECT id FROM app WHERE id = $1 AND deleted_at IS NULL FOR NO KEY UPDATE"
  let appID: Int32

  func bind(to parameters: inout Parameters) { parameters.append(appID) }

  static func decode(_ row: inout RowReader) throws(PostgresError) -> Int32 { try row.next() }
}

extension Transaction.Pending where S == LockContents {
  /// - Throws: ``Problem`` when the app is deleted; once the statement was sent.
  func checkApp() throws(Problem) {
    if rows.isEmpty { throw Problem(.appNotFound, "The app was deleted just now.") }
  }
}
