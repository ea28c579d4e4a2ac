internal import FoundationEssentials
import Postgres

/// Installations by their keys, where Citus spreads them: a shard finds its own more cheaply by two
/// lists than by a join with pairs. So for (app 1, A) and (app 2, B) it finds (app 1, B) and
/// (app 2, A), too.
struct FindInstallations: Statement {
  typealias Row = Installation
  static let sql = """
    SELECT \(InstallationColumn.selection) FROM installation
    WHERE app_id = ANY ($1) AND installation_id = ANY ($2)
    """
  let keys: [InstallationKey]

  func bind(to parameters: inout Parameters) {
    // Each app once: the planner expects as many rows as there are pairs, and would read all.
    parameters.append(Array(Set(keys.map(\.appID))), keys.map(\.id.uuid))
  }
}

extension InstallationBatch {
  /// Has only the servers asked that have installations of a batch, whose second column are the
  /// keys.
  static let amongKeys = " AND installation.installation_id = ANY ($2)"
}

/// Like ``UpdateInstallations``, where Citus spreads the installations over servers.
struct RouteInstallations: Statement {
  typealias Row = InstallationKey
  static let sql = InstallationBatch.update(
    from: InstallationBatch.source, where: InstallationBatch.amongKeys)
  let installations: [Installation]

  func bind(to parameters: inout Parameters) {
    InstallationBatch.bind(installations, to: &parameters)
    parameters.append(column: installations.map(\.id.uuid))
  }
}
