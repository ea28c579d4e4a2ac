internal import Postgres

/// The registrars of all loops of a process, and at which of them a report is decided on and
/// written. A round costs the database and the machine as much as four registrations, so the fewer
/// the better.
///
/// All join before the first loop runs.
package final class Registrars: @unchecked Sendable {
  private var members: [Registrar] = []

  package init() {}

  /// Adds the registrar of the next loop.
  package func join(_ registrar: Registrar) { members.append(registrar) }

  /// Where a report goes that came to a loop.
  ///
  /// Those of several loops gather at one of them, the leader, while few are under way there; with
  /// more, each loop has full rounds by itself, and while the leader has no connection, each writes
  /// its own. Where Citus spreads the installations, each lane of them has one loop instead.
  /// - Parameter number: That of the loop, from 0, in the order in which the registrars joined.
  package func host(of id: InstallationID, cameTo number: Int) -> Registrar {
    let own = members[number]
    if own.database.isDistributed { return members[id.lane % members.count] }
    let leader = members[number - number % RegistryLimits.loopsPerLeader]
    return leader.takesOthers ? leader : own
  }
}
