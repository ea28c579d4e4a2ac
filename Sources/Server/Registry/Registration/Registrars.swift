internal import Postgres

/// The registrars of all loops of a process. It chooses which of them takes a report.
///
/// A round costs as much as four registrations, for the database as for this machine. So a few
/// loops bring their reports to one of them, the leader, and fewer rounds are needed.
///
/// All registrars join before the first loop runs.
package final class Registrars: @unchecked Sendable {
  private var members: [Registrar] = []

  package init() {}

  /// Adds the registrar of the next loop.
  package func join(_ registrar: Registrar) { members.append(registrar) }

  /// The registrar that takes a report which came to a loop.
  ///
  /// - Usually the leader of four loops. Example: of loops 0 to 3 it is loop 0.
  /// - The loop's own, if the leader is busy (then every loop has full rounds) or not connected.
  /// - Parameter number: The number of the loop, from 0, in the order in which the registrars
  ///   joined.
  package func registrar(cameTo number: Int) -> Registrar {
    let own = members[number]
    let leader = members[number - number % RegistryLimits.loopsPerLeader]
    return leader.takesOthers ? leader : own
  }
}
