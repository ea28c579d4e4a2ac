package import Postgres

/// Installations on their way in: `COPY` fills the table, the statements below empty it into
/// `installation`, and the end of the transaction clears it.
package struct CreateStaging: Statement {

  package init() {}
  package static let sql = """
    CREATE TEMPORARY TABLE import_staging (LIKE \(InstallationBatch.rowType), is_new boolean)
    ON COMMIT DELETE ROWS
    """
}

/// As ``InsertInstallations``, out of the staging table.
package struct InsertStagedInstallations: Statement {
  package typealias Row = InstallationKey

  package init() {}
  package static let sql = InstallationBatch.insert(from: staged(where: "is_new"))
}

/// As ``UpdateInstallations``, out of the staging table.
package struct UpdateStagedInstallations: Statement {
  package typealias Row = InstallationKey

  package static let sql = InstallationBatch.update(from: staged(where: "NOT is_new"), apps: "$1")
  let appID: Int32

  /// - Parameter appID: The app of all rows.
  package init(appID: Int32) { self.appID = appID }

  package func bind(to parameters: inout Parameters) { parameters.append(appID) }
}

/// Some rows of the staging table in the order of all writers.
private func staged(where condition: String) -> String {
  """
  (
    SELECT \(InstallationBatch.names) FROM import_staging WHERE \(condition)
    ORDER BY app_id, installation_id
  )
  """
}

extension BinaryRows {
  /// Appends a row of ``CreateStaging``.
  package mutating func append(_ installation: Installation, isNew: Bool) {
    append { row in
      InstallationBatch.write(installation, &row)
      row.append(isNew)
    }
  }
}
