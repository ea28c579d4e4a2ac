internal import DeviceProfile
internal import FoundationEssentials
package import Postgres

/// Installations by their keys.
package struct LoadInstallations: KeyedStatement {
  package typealias Row = Installation
  package static let sql = """
    SELECT \(InstallationColumn.selection)
    FROM unnest($1::int4[], $2::uuid[]) AS keys (app_id, installation_id)
    JOIN installation USING (app_id, installation_id)
    WHERE installation.app_id = ANY ($3)
    """
  package let keys: [InstallationKey]

  package init(keys: [InstallationKey]) {
    self.keys = keys
  }

  package func bind(to parameters: inout Parameters) { parameters.append(keys) }

  package static func key(of installation: Installation) -> InstallationKey {
    installation.key
  }
}

/// Writes installations that are new. An installation that exists by now (a faster writer) is left
/// alone and not returned. No installation may occur twice in a batch.
struct InsertInstallations: Statement {
  typealias Row = InstallationKey
  static let sql = InstallationBatch.insert(from: InstallationBatch.source)
  let installations: [Installation]

  func bind(to parameters: inout Parameters) {
    InstallationBatch.bind(installations, to: &parameters)
  }
}

/// Writes installations that are new. If one of them exists by now, the whole batch fails. So the
/// look at the index before each row is saved, which ``InsertInstallations`` takes.
struct AddInstallations: Statement {
  static let sql = InstallationBatch.addition(from: InstallationBatch.source)
  let installations: [Installation]

  func bind(to parameters: inout Parameters) {
    InstallationBatch.bind(installations, to: &parameters)
  }
}

/// Writes new states of installations, each over the revision before it. A row is left alone and
/// not returned if it has another revision (a faster writer); if it is gone (its tokens were given
/// up with it); and if it was deleted and made anew, which another time of creation or another
/// first revision tells (``Installation/firstRevision(_:)``). No installation may occur twice in a
/// batch.
struct UpdateInstallations: Statement {
  typealias Row = InstallationKey
  static let sql = InstallationBatch.update(from: InstallationBatch.source, apps: "ANY ($2)")
  let installations: [Installation]

  func bind(to parameters: inout Parameters) {
    InstallationBatch.bind(installations, to: &parameters)
    parameters.append(apps: installations.map(\.appID))
  }
}

/// Whole rows of a batch, and how they become installations.
enum InstallationBatch {
  /// The database's type of such a row. It has all columns, in this order; a release with another
  /// column has a type of another name, so that two releases can write side by side.
  static let rowType = "installation_row_2"
  static let columns = InstallationColumn.written
  static let names = columns.map(\.name).joined(separator: ", ")

  /// The columns of `x`.
  static let values = columns.map { "x.\($0.name)" }

  /// Inserts rows of new installations. Every source is in the one order of all writers, so that
  /// two batches cannot wait for each other in a circle.
  static func addition(from source: String) -> String {
    """
    INSERT INTO installation (\(names))
    SELECT \(values.joined(separator: ", "))
    FROM \(source) AS x
    """
  }

  /// The same, but leaves out installations that are there already.
  static func insert(from source: String) -> String {
    """
    \(addition(from: source))
    ON CONFLICT (app_id, installation_id) DO NOTHING
    RETURNING app_id, installation_id
    """
  }

  /// Writes rows of new states, each over the revision before it.
  /// - Parameter apps: The SQL that the apps of the rows are equal to, such as `ANY ($2)`.
  static func update(from source: String, apps: String) -> String {
    let updates = zip(columns, values).filter(\.0.isUpdated).map { "\($0.name) = \($1)" }
    return """
      UPDATE installation SET \(updates.joined(separator: ", "))
      FROM \(source) AS x
      WHERE installation.app_id = \(apps)
        AND installation.app_id = x.app_id
        AND installation.installation_id = x.installation_id
        AND installation.revision = \(Installation.formerRevision)
        AND installation.created_at = x.created_at
      RETURNING installation.app_id, installation.installation_id
      """
  }

  /// The rows of a batch as one bound array.
  static let source = """
    (SELECT * FROM unnest($1::\(rowType)[]) ORDER BY app_id, installation_id)
    """

  static func bind(_ installations: [Installation], to parameters: inout Parameters) {
    parameters.append(rows: installations, write)
  }

  /// Writes a row of ``rowType``.
  static func write(_ installation: Installation, _ row: inout RowWriter) {
    for column in columns { column.write(installation, &row) }
  }
}

/// Deletes installations whose state is still the one that was read; returns their keys.
struct DeleteInstallations: Statement {
  typealias Row = InstallationKey
  static let sql = """
    DELETE FROM installation USING (
      SELECT * FROM unnest(
          $1::int4[], $2::uuid[], $3::int8[], $4::timestamptz[])
        AS keys (app_id, installation_id, revision, created_at)
      ORDER BY app_id, installation_id
    ) AS x
    WHERE installation.app_id = ANY ($5)
      AND installation.app_id = x.app_id
      AND installation.installation_id = x.installation_id
      AND installation.revision = x.revision
      AND installation.created_at = x.created_at
    RETURNING installation.app_id, installation.installation_id
    """
  let installations: [Installation]

  func bind(to parameters: inout Parameters) {
    parameters.append(column: installations.map(\.appID))
    parameters.append(column: installations.map(\.id.uuid))
    parameters.append(column: installations.map(\.revision))
    parameters.append(column: installations.map(\.createdAt))
    parameters.append(apps: installations.map(\.appID))
  }
}

extension Parameters {
  /// Appends the columns of a batch of keys, and its apps.
  mutating func append(_ keys: [InstallationKey]) {
    append(column: keys.map(\.appID))
    append(column: keys.map(\.id.uuid))
    append(apps: keys.map(\.appID))
  }

  /// Appends the apps of a batch, each once. Every statement names them: where apps are spread over
  /// servers (`sql/citus.sql`), only the servers that have one of the apps are asked.
  mutating func append(apps: [Int32]) { append(column: Array(Set(apps))) }
}
