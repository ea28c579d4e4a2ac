package import Postgres

/// What the registry does in another way where Citus spreads its tables over servers. Only this
/// file asks whether Citus does. The statements for that are in this folder, too. Where only the
/// text of a statement differs, it stands beside the usual text as `distributedSQL`.
extension PostgresClient {
  /// The lane of an installation; one PostgreSQL has a single lane.
  func lane(of id: InstallationID) -> Int { isDistributed ? id.lane : 0 }

  /// The loop that takes all reports of an installation; `nil` when any loop may take them.
  func loop(of id: InstallationID, among count: Int) -> Int? {
    isDistributed ? id.lane % count : nil
  }

  /// How far apart the read rounds of registrations begin.
  var registrationPace: LoadPace {
    isDistributed ? RegistryLimits.spreadRegistrationPace : RegistryLimits.registrationPace
  }

  /// Whether registrations are not read while others wait to be written.
  var readsWaitForWrites: Bool { isDistributed }

  /// Whether each page is one plain statement: Citus asks all servers for each statement, and none
  /// for an estimate.
  var readsPagesPlainly: Bool { isDistributed }

  /// Whether write rounds write installations and tokens by ``RoundWrites/addSpreadRows(to:)``.
  var spreadsRows: Bool { isDistributed }
}

extension BulkSession {
  /// Holds apps in place where no foreign keys do (``LockApps``).
  package func lockApps(_ ids: [Int32]) async throws(PostgresError) {
    if isDistributed, !ids.isEmpty { try await run(LockApps(ids: ids)) }
  }
}

extension LoadInstallations {
  /// Reads the rows of some keys.
  package static func read(
    _ keys: [InstallationKey], from database: PostgresClient
  ) async throws(PostgresError) -> [Installation] {
    database.isDistributed
      ? try await database.read(FindInstallations(keys: keys))
      : try await database.read(Self(keys: keys))
  }
}
