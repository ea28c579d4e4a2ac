import AppTesting
import EventLoop
import Testing

@testable import App

/// A service that ends.
@Suite struct StopTests {
  /// Loops, threads and connections of a service that has ended do not add up in a process that
  /// starts many.
  @Test(.onOnePostgres) func aServiceThatHasStoppedHoldsNothing() async throws {
    weak var released: EventLoop?
    func end() async throws -> ScratchDatabase {
      let service = try await TestService.start()
      let app = try await service.app()
      let path = app.installation(Sample.id())
      #expect(try await app.client.put(path, Sample.report()).status == 201)
      released = service.service.contexts[0].loop
      await service.stop()
      return service.database
    }
    let database = try await end()
    let others = """
      SELECT count(*) FROM pg_stat_activity
      WHERE datname = current_database() AND pid <> pg_backend_pid()
      """
    try await eventually { try await database.value(others) == "0" }
    try await eventually { released == nil }
  }
}
