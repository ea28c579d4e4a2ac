import AppTesting
import Postgres
import Testing

@testable import App

/// What each step of the schema costs those who register meanwhile.
@Suite struct MigrationStepTests {
  /// Tables whose rows are few: apps, keys, messages, and the like.
  private static let smallTables: Set<String> = [
    "api_key", "app", "catalog", "change_epoch", "feedback_breaker", "message", "schema_migration",
    "webhook",
  ]

  /// Tables that were there before and that a step reads from the first row to the last, or writes
  /// anew. An empty table tells it, too: the server counts its scans, which no index hides here.
  private func tablesGoneThrough(
    by step: Migration, _ database: ScratchDatabase
  ) async throws -> [String] {
    let rows = try await database.query(
      """
      BEGIN;
      SET LOCAL enable_indexscan = off;
      SET LOCAL enable_indexonlyscan = off;
      SET LOCAL enable_bitmapscan = off;
      CREATE TEMP TABLE before ON COMMIT DROP AS
      SELECT oid, relname AS name, relfilenode FROM pg_class
      WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace;
      \(step.sql);
      CREATE TEMP TABLE found AS
      SELECT name FROM before LEFT JOIN pg_stat_xact_user_tables AS seen ON relid = oid
      WHERE seq_scan > 0 OR relfilenode <> pg_relation_filenode(oid) ORDER BY name;
      COMMIT;
      SELECT name FROM found
      """)
    return rows.compactMap { $0.first ?? nil }
  }

  @Test(.onOnePostgres) func aNewStepHoldsNoRegistrationUp() async throws {
    let database = try await ScratchCluster.database(isMigrated: false)
    for step in Migration.all {
      let tables = try await tablesGoneThrough(by: step, database)
      let large = tables.filter { !Self.smallTables.contains($0) }
      #expect(
        large.isEmpty != step.holdsUpWriters || step.isInPortions,
        """
        \(step.name) goes through all of \(large). Registrations would wait: change rows in \
        portions (CONTRIBUTING.md, "A migration").
        """)
    }
  }

  @Test func aStepSaysThatItGoesInPortions() {
    let steps = Migration.steps(
      of: """
        -- All of them.

        -- migration: m0001_one
        CREATE TABLE a (b text);

        -- migration: m0002_two
        -- portions
        WITH changed AS (UPDATE a SET b = '' WHERE b IS NULL RETURNING 1)
        SELECT count(*) FROM changed
        """)
    #expect(steps.map(\.name) == ["m0001_one", "m0002_two"])
    #expect(steps.map(\.isInPortions) == [false, true])
  }
}
