import AppTesting
import DeviceProfile
import EventLoop
import FoundationEssentials
import Postgres
import Testing

@testable import App
@testable import Registry

/// What was decided is written only onto the state that it was decided from.
@Suite struct RegistrarTests {
  /// - Returns: Whether a write of this revision was taken.
  private func write(
    revision: Int64, of id: InstallationID, in app: TestApp
  ) async throws -> Bool {
    let slug = try #require(AppSlug(app.slug))
    let service = app.service.service
    let appID = try #require(service.shared.directory.snapshot.apps[slug]?.id)
    let now = Timestamp(microseconds: 1_700_000_000_000_000)
    let installation = Installation(
      appID: appID, id: id, revision: revision, platform: .ios, environment: .production,
      reportedAt: nil, createdAt: now, updatedAt: now, lastSeenAt: now)
    var changes = ChangeSet()
    var before: Installation?
    if revision > 1 {
      before = installation
      before?.revision -= 1
    }
    changes.transitions = [
      Transition(from: before, to: installation, at: now, .init(.backend))
    ]
    let written = changes
    let context = service.contexts[0]
    return try await context.loop.run {
      await Result { () async throws(PostgresError) in
        try await context.registrar.commits.commit(written) != .outrun
      }
    }.get()
  }

  @Test func aDeletedInstallationDoesNotComeBack() async throws {
    let app = try await TestApp.make(.inProcess)
    let id = InstallationID(UUID())
    #expect(try await write(revision: 1, of: id, in: app))
    #expect(try await write(revision: 2, of: id, in: app))
    #expect(try await app.admin.delete(app.installation(id.text)).status == 204)
    // Decided before the deletion, written after it.
    #expect(try await !write(revision: 3, of: id, in: app))
    #expect(try await app.admin.get(app.installation(id.text)).status == 404)
  }

  @Test func aSlowerWriterWritesNothing() async throws {
    let app = try await TestApp.make(.inProcess)
    let id = InstallationID(UUID())
    #expect(try await write(revision: 1, of: id, in: app))
    #expect(try await !write(revision: 1, of: id, in: app), "made by someone else meanwhile")
    #expect(try await !write(revision: 3, of: id, in: app), "a state in between is missing")
    #expect(try await write(revision: 2, of: id, in: app))
  }
}

extension Result where Failure == PostgresError, Success: Sendable {
  init(_ body: () async throws(PostgresError) -> Success) async {
    do throws(PostgresError) { self = .success(try await body()) } catch { self = .failure(error) }
  }
}
