internal import Postgres

/// How the descriptors of the process are shared out: clients get what is left of them, so that a
/// flood of connections never keeps the service from its database.
///
/// With 1024 descriptors, two loops and two database connections each, 98 + 2 · 48 + 2 · 9 are put
/// aside, and each loop takes 406 clients; others wait in the kernel until one of them leaves.
struct DescriptorBudget: Equatable {
  /// The descriptors that the system allows the process (`RLIMIT_NOFILE`).
  let descriptors: Int
  let loops: Int
  /// Connections of each loop.
  let databaseConnections: Int
  /// Whether each loop has as many connections to a replica.
  var hasReplica = false

  /// Connections of clients that a loop may have.
  var clientsPerLoop: Int { max(1, (descriptors - reserved) / loops) }

  /// Attempts of webhooks under way; as many connections rest until their next attempt.
  var webhookTransfers: Int {
    max(2, min(Limits.webhookTransfers, descriptors / Limits.descriptorsPerWebhookTransfer))
  }

  /// The descriptors that are not for clients.
  private var reserved: Int {
    let perLoop =
      Limits.descriptorsPerLoop
      + (hasReplica ? 2 : 1) * PostgresClient.descriptors(connections: databaseConnections)
    return Limits.reservedDescriptors + 2 * webhookTransfers + loops * perLoop
  }
}
