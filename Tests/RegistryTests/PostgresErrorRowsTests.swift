import Postgres
import Testing

@testable import Registry

/// Which errors are of a row, and which of the app that it belongs to.
@Suite struct PostgresErrorRowsTests {
  struct Row: Sendable {
    let sqlState: String
    var constraint: String?
    var isOfOneRow = true
    var isOfMissingApp = false
    var isOfDeadlock = false
  }

  static let rows = [
    Row(sqlState: "22021"), Row(sqlState: "23514", constraint: "installation_platform_check"),
    Row(sqlState: "40P01", isOfDeadlock: true), Row(sqlState: "40001"), Row(sqlState: "08006"),
    Row(sqlState: "23503", constraint: "installation_app_id_fkey", isOfMissingApp: true),
    Row(sqlState: "23503", constraint: "token_owner_app_id_fkey", isOfMissingApp: true),
    Row(sqlState: "23503", constraint: "catalog_file_catalog_id_fkey"),
    Row(sqlState: "23503"), Row(sqlState: "53100", isOfOneRow: false),
    Row(sqlState: "57014", isOfOneRow: false),
  ]

  @Test(arguments: rows) func anErrorIsOfARowOrAnApp(row: Row) {
    let error = PostgresError(
      .server(sqlState: row.sqlState), "refused", constraint: row.constraint)
    #expect(error.isOfOneRow == row.isOfOneRow)
    #expect(error.isOfMissingApp == row.isOfMissingApp)
    #expect(error.isOfDeadlock == row.isOfDeadlock)
  }

  @Test func aLostConnectionIsOfNoRow() {
    let error = PostgresError(.disconnected, "broke")
    #expect(!error.isOfOneRow)
    #expect(!error.isOfMissingApp)
  }
}
