import AppTesting
import Testing

@testable import App

/// What registrations add to the index of the filters is brought in by nobody who waits.
@Suite struct FilterIndexTests {
  @Test(.onOnePostgres) func whatWaitsIsBroughtIn() async throws {
    let database = try await ScratchCluster.databaseWithRoles()
    let service = try await TestService.start(database: database)
    let app = try await service.app()
    for _ in 0..<3 {
      let path = app.installation(Sample.id())
      #expect(try await app.client.put(path, Sample.fullReport()).status == 201)
    }
    // With the rights of the service, which does not own the index.
    let pages = try await database.queryAsService("SELECT clean_filter_index()")
    #expect(pages != [["0"]])
    #expect(try await database.queryAsService("SELECT clean_filter_index()") == [["0"]])
    await service.stop()
  }

  @Test(.onOnePostgres) func aTableThatGrewFastGetsItsFirstStatistics() async throws {
    let database = try await ScratchCluster.databaseWithRoles()
    let count = "SELECT count(*) > 0 FROM pg_stats WHERE tablename = 'installation'"
    for (installations, hasStatistics) in [(0, "f"), (10_000, "t")] {
      try await database.seedInstallations(installations)
      try await database.queryAsService("SELECT clean_filter_index()")
      #expect(try await database.query(count) == [[hasStatistics]])
      try await database.query("DELETE FROM app")
    }
  }

  @Test func theServiceDoesItAgainAndAgain() async throws {
    let service = try await TestService.start()
    // Its own function would leave nothing to see.
    try await service.database.query(
      """
      CREATE SEQUENCE cleanings;
      CREATE OR REPLACE FUNCTION clean_filter_index() RETURNS bigint LANGUAGE sql
      AS $$ SELECT nextval('cleanings') $$
      """)
    service.service.startHousekeeping()
    try await eventually {
      try await service.database.query("SELECT last_value >= 3 FROM cleanings") == [["t"]]
    }
    await service.stop()
  }
}
