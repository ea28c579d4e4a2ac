import AppTesting
import Foundation
import Postgres
import Testing

@testable import App
@testable import Content
@testable import Registry

/// Every statement is one that the database understands, with the parameters that it binds.
@Suite struct StatementTests {
  static let all = single + InstallationSort.all.flatMap { lists(in: $0.order) }

  /// Those that have one type for each order.
  private static func lists<Order: InstallationOrder>(
    in order: Order.Type
  ) -> [any Statement.Type] {
    [
      ListInstallations<Order>.self, WalkInstallations<Order>.self,
      GatherInstallations<Order>.self,
    ]
  }

  private static let single: [any Statement.Type] = [
    AllApps.self, KeysInUse.self, SendNotice.self, TryWrite.self,
    ReadSchema.self, ReadSteps.self, ReadUnsafeSettings.self, ReadLeastProgram.self,
    ReadDistribution.self, ListClusterServers.self, ReachClusterServer.self, ReadServerFacts.self,
    ListPartitions.self,
    WriteKeyUses.self,
    WrittenPosition.self, ReplayedPosition.self,
    LockApp.self, LockAppBySlug.self, LockAppFor.self, UpsertApp.self, DeleteApp.self,
    InsertKey.self, CountKeys.self, ForgetRevokedKeys.self, InstallRootKey.self,
    FindRootKey.self, InsertFirstRootKey.self, LockKeys.self, ListKeys.self, RevokeKey.self,
    StreamAudience.self, CountTimeZones.self, EstimateInstallations.self,
    DevicesOfInstallations.self, DevicesOfUsers.self, FindHoldersOfTokens.self,
    LoadInstallations.self, LoadDevices.self,
    InsertInstallations.self,
    UpdateInstallations.self,
    DeleteInstallations.self,
    AddInstallations.self, WholeBatch<UpdateInstallations>.self,
    WholeBatch<DeleteInstallations>.self, WholeBatch<WriteLedger>.self,
    WholeBatch<WriteSightings>.self, WholeBatch<HoldClosedBreakers>.self,
    WriteSightings.self, LoadSightings.self, DeleteSightings.self,
    HoldClosedBreakers.self,
    LoadTokenOwners.self, WriteLedger.self, LockApps.self,
    FindTokenOwners.self, InsertTokenEvents.self,
    InsertAppEvent.self, InsertAppEventOnce.self, UntoldBuilds.self,
    CountRecentFailures.self, InsertInstallationEvents.self, EraseInstallationEvents.self,
    ReadChanges.self, FindNewestChange.self, BeginLife.self, BegunLife.self,
    KeepChangesSince.self,
    CountWebhooks.self, InsertWebhook.self, ListWebhooks.self,
    UpdateWebhook.self, DeleteWebhook.self, AnyWebhook.self, EnabledWebhooks.self,
    RecordWebhookHealth.self, MakeDeliveries.self, PendingDeliveries.self,
    CountPendingDeliveries.self,
    RecordAttempts.self, CutDeliveries.self, InsertTrial.self, ListDeliveries.self,
    RepeatDelivery.self, RenewPending.self, DropPending.self, EraseDeliveries.self,
    StoreClaimCode.self, LoadClaimCode.self,
    ListInstallationHistory.self, ListTokenHistory.self,
    LockFailure.self, InsertFailure.self, ListFailures.self, SummarizeFailures.self,
    StaleInstallations.self, CountStaleInstallations.self, StalePolicies.self,
    DeletedApps.self, PurgeHistory.self, PurgeAppHistory.self, PurgeFailures.self,
    PurgeTokens.self, PurgeInstallations.self, PurgeSightings.self, PurgeUserLanguages.self,
    PurgeClaimCodes.self,
    PurgeCatalog.self, PurgeApp.self, CleanFilterIndex.self,
    PurgeOldHistory.self, PurgeOldAppHistory.self, PurgeOldFailures.self,
    PurgeOldAudits.self,
    PurgeOldClaimCodes.self, PurgeGivenUpTokens.self,
    InsertFeedbackBreaker.self, LockFeedbackBreaker.self, LoadFeedbackBreakers.self,
    UpdateFeedbackBreaker.self,
    InsertAuditEntries.self, ListAudit.self, ListAuditOfAllApps.self,
    LoadUserLanguages.self, FindOtherLanguages.self, ChooseLanguage.self, ForgetLanguage.self,
    CountUserInstallations.self, FindUserInstallations.self, WalkUserInstallations.self,
    ListUserInstallations.self, SummarizeUser.self, ListUserEvents.self,
    LockTokens.self, ForgetOrigins.self, ForgetPreviousOwners.self,
    EraseTokens.self, EraseHistory.self,
    EraseClaimCodes.self, EraseFailures.self, ForgetRefusedTokens.self,
    LoadRecord<ChannelKey>.self, LoadRecord<CatalogKey>.self, LoadRecord<MessageKey>.self,
    ListRecords<CatalogRecord>.self, ListRecords<MessageRecord>.self,
    CountRecords<ChannelRecord>.self, CountRecords<MessageRecord>.self,
    DeleteRecord<ChannelKey>.self, DeleteRecord<CatalogKey>.self, DeleteRecord<MessageKey>.self,
    ListChannels.self, UpsertChannel.self, EndChannel.self,
    LoadCatalogFiles.self, CountCatalogBytes.self,
    InsertCatalog.self, InsertCatalogFiles.self, NewestCatalogs.self,
    BuildsWithoutCatalog.self, RecentBuilds.self,
    CountLanguageLists.self, CountTokens.self, CountFailures.self, CountOpenBreakers.self,
    UpsertMessage.self,
    CountInstallations.self, CountCreatedByDay.self, CountFailedByDay.self,
    CountTokenEventsByDay.self, OpenBreakers.self,
  ]

  /// What readiness asks of Citus, where that is.
  private static let partsOfCitus = """
    CREATE TABLE pg_dist_node (nodename text, nodeport int, noderole text, groupid int);
    CREATE TABLE pg_dist_placement (groupid int);
    CREATE TABLE pg_dist_partition (logicalrelid regclass, partmethod "char", partkey text);
    CREATE FUNCTION column_to_column_name(regclass, text) RETURNS text LANGUAGE sql
      AS 'SELECT $2';
    CREATE FUNCTION citus_check_connection_to_node(text, int) RETURNS boolean LANGUAGE sql
      AS 'SELECT true'
    """

  @Test func everyStatementPreparesAgainstTheSchema() async throws {
    let database = try await ScratchCluster.database()
    if !ScratchCluster.isDistributed { try await database.query(Self.partsOfCitus) }
    for type in Self.all {
      // What is only explained is prepared without that.
      let sql = type.sql.replacing(/^EXPLAIN\s/, with: "")
      // Commands such as LOCK cannot be prepared in SQL; all have been run by then.
      guard ["SELECT", "INSERT", "UPDATE", "DELETE", "WITH"].contains(where: sql.hasPrefix)
      else {
        try await database.query("BEGIN; \(sql); ROLLBACK")
        continue
      }
      await #expect(throws: Never.self, "\(type)") {
        try await database.query("PREPARE statement AS \(sql)")
      }
    }
  }

  @Test func theListAboveIsComplete() {
    let declared = Sources.product.flatMap { file in
      file.text.matches(of: /(?:struct|enum) (\w+)(?:<.+?>)?: (?:[\w, ]+, )?\w*Statement\b/).map {
        String($0.output.1)
      }
    }
    let listed = Set(Self.all.map { "\($0)".prefix { $0 != "<" } })
    #expect(declared.sorted() == listed.sorted().map { String($0) })
  }

  @Test(.onOnePostgres) func theSchemaIsWhatTheMigrationsMake() async throws {
    let migrated = try await ScratchCluster.database()
    let written = try await ScratchCluster.database(isMigrated: false)
    try await written.query(
      try String(contentsOf: Sources.root.appending(path: "sql/schema.sql"), encoding: .utf8))
    try await migrated.query("DROP TABLE schema_migration")
    #expect(try await described(migrated) == described(written))
  }

  /// All columns, constraints, indexes and functions, as the server spells them.
  private func described(_ database: ScratchDatabase) async throws -> [[String?]] {
    try await database.query(
      """
      SELECT c.relname, a.attname, format_type(a.atttypid, a.atttypmod), a.attnotnull,
        a.attidentity, a.attcompression, pg_get_expr(d.adbin, d.adrelid), c.reloptions::text
      FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
        LEFT JOIN pg_attrdef d ON d.adrelid = c.oid AND d.adnum = a.attnum
      WHERE c.relnamespace = 'public'::regnamespace AND a.attnum > 0 AND NOT a.attisdropped
      UNION ALL
      SELECT conrelid::regclass::text, conname, pg_get_constraintdef(oid), NULL, NULL, NULL, NULL,
        NULL
      FROM pg_constraint WHERE connamespace = 'public'::regnamespace
      UNION ALL
      SELECT tablename, indexname, indexdef, NULL, NULL, NULL, NULL, NULL
      FROM pg_indexes WHERE schemaname = 'public'
      UNION ALL
      SELECT proname, '', pg_get_functiondef(oid), NULL, NULL, NULL, NULL, NULL
      FROM pg_proc WHERE pronamespace = 'public'::regnamespace
      ORDER BY 1, 2, 3
      """)
  }
}

/// The source files of the product.
enum Sources {
  static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  /// The files of the targets that have statements, with their paths.
  static let product: [(path: String, text: String)] = ["Registry", "Content", "App"].flatMap {
    let directory = root.appending(path: "Sources/\($0)")
    let paths =
      FileManager.default.enumerator(atPath: directory.path)?.compactMap { $0 as? String } ?? []
    return paths.filter { $0.hasSuffix(".swift") }.sorted().compactMap { path in
      (try? String(contentsOf: directory.appending(path: path), encoding: .utf8)).map { (path, $0) }
    }
  }
}
