package import Postgres

/// Makes changes of an app's messages, catalogs and webhooks wait for each other, until the end of
/// the transaction; no row when the app is deleted.
package struct LockApp: Statement {
  package typealias Row = Int32
  package static let sql =
    "SELECT id FROM app WHERE id = $1 AND deleted_at IS NULL FOR NO KEY UPDATE"
  package let appID: Int32

  package init(appID: Int32) { self.appID = appID }

  package func bind(to parameters: inout Parameters) { parameters.append(appID) }
}

extension Transaction.Pending<Int32> {
  /// Checks that the app is there, once the statement was sent.
  /// - Throws: ``ContentFailure/appDeleted``.
  package func checkApp() throws(ContentFailure) {
    if rows.isEmpty { throw .appDeleted }
  }
}
