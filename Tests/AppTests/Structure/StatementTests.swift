import AppTesting
import Foundation
import Postgres
import Testing

@testable import App
@testable import Content
@testable import Registry

/// Every command is one that the database understands, with the parameters that it binds.
@Suite struct StatementTests {
  /// The text of each by its name: that of its type, or of the function that makes it.
  static func all() throws -> [(name: String, sql: String)] {
    try statements.map { ("\($0)", $0.sql) } + SampleQueries().all
  }

  private static let statements: [any Statement.Type] = [
    SendNotice.self, TryWrite.self, ReadSchema.self, ReadServerFacts.self, WriteKeyUses.self,
    WrittenPosition.self, ReplayedPosition.self, LockApp.self, LockAppFor.self,
    DevicesOfInstallations.self, LoadInstallations.self, LoadDevices.self, InsertInstallations.self,
    UpdateInstallations.self, DeleteInstallations.self, AddInstallations.self,
    WholeBatch<UpdateInstallations>.self, WholeBatch<DeleteInstallations>.self,
    WholeBatch<WriteLedger>.self, WholeBatch<WriteSightings>.self,
    WholeBatch<HoldClosedBreakers>.self, WholeBatch<FindUnchanged>.self, WriteSightings.self,
    LoadSightings.self,
    FindUnchanged.self, HoldClosedBreakers.self, LoadTokenOwners.self, WriteLedger.self,
    LockApps.self, InsertTokenEvents.self, InsertAppEvent.self, InsertAppEventOnce.self,
    CountRecentFailures.self, InsertInstallationEvents.self, ReadChanges.self,
    FindNewestChange.self, MakeDeliveries.self, PendingDeliveries.self, RecordAttempts.self,
    LockFailure.self, InsertFailure.self, InsertFeedbackBreaker.self, LockFeedbackBreaker.self,
    LoadFeedbackBreakers.self, UpdateFeedbackBreaker.self, InsertAuditEntries.self,
    LoadUserLanguages.self, LockTokens.self, ForgetPreviousOwners.self, EraseTokens.self,
    LoadRecord<ChannelKey>.self, LoadRecord<CatalogKey>.self, LoadRecord<MessageKey>.self,
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
    for (name, text) in try Self.all() {
      // What is only explained is prepared without that.
      let sql = text.replacing(/^EXPLAIN\s/, with: "")
      // Commands such as LOCK cannot be prepared in SQL; all have been run by then.
      guard ["SELECT", "INSERT", "UPDATE", "DELETE", "WITH"].contains(where: sql.hasPrefix)
      else {
        try await database.query("BEGIN; \(sql); ROLLBACK")
        continue
      }
      await #expect(throws: Never.self, "\(name)") {
        try await database.query("PREPARE statement AS \(sql)")
      }
    }
  }

  @Test func theListsAreComplete() throws {
    let declared = Sources.product.flatMap { file in
      file.text.matches(of: /(?:struct|enum) (\w+)(?:<.+?>)?: (?:[\w, ]+, )?\w*Statement\b/).map {
        String($0.output.1)
      } + Self.queries(in: file.text)
    }
    let listed = Set(try Self.all().map { $0.name.prefix { $0 != "<" && $0 != " " } })
    #expect(Set(declared).sorted() == listed.sorted().map { String($0) })
  }

  /// The functions that make queries.
  private static func queries(in text: String) -> [String] {
    let forms = [/func (\w+)[^{}]*? -> Query<[^{}()]+>\?? \{/, /var (\w+): Query<[^{}()]+> \{/]
    var names = forms.flatMap { text.matches(of: $0) }.map { String($0.output.1) }
    var isOfCommands = false
    for line in text.split(separator: "\n") {
      if line.hasPrefix("extension ") { isOfCommands = line.hasPrefix("extension Command") }
      if line.hasPrefix("}") { isOfCommands = false }
      if isOfCommands, let name = line.prefixMatch(of: /\s\s(?:package )?static func (\w+)/) {
        names.append(String(name.output.1))
      }
    }
    return names
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
    let directory = root.appending(path: "Sources/Server/\($0)")
    let paths =
      FileManager.default.enumerator(atPath: directory.path)?.compactMap { $0 as? String } ?? []
    return paths.filter { $0.hasSuffix(".swift") }.sorted().compactMap { path in
      (try? String(contentsOf: directory.appending(path: path), encoding: .utf8)).map { (path, $0) }
    }
  }
}
