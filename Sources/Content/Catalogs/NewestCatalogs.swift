import Postgres

/// The versions of the app builds whose catalogs came last, the newest first.
struct NewestCatalogs: Statement {
  static let sql = """
    SELECT version FROM catalog WHERE app_id = $1 AND version <> $2
    ORDER BY created_at DESC, version DESC LIMIT $3
    """
  let appID: Int32
  let limit: Int64

  func bind(to parameters: inout Parameters) {
    parameters.append(appID)
    parameters.append(CatalogKey.serverVersion)
    parameters.append(limit)
  }

  static func decode(_ row: inout RowReader) throws(PostgresError) -> String { try row.next() }
}
