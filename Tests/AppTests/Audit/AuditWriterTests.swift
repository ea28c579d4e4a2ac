import AppTesting
import EventLoop
import Foundation
import Postgres
import Testing

@testable import App

/// How entries get into the audit log.
@Suite struct AuditWriterTests {
  private func entry(_ number: Int, status: Int16 = 200) -> AuditEntry {
    AuditEntry(
      at: Timestamp(microseconds: 1_700_000_000_000_000), keyID: UUID(), keyKind: .root,
      keyLabel: "", operation: "test", target: "\(number)", status: status, requestID: "r")
  }

  @Test func whatGathersInACycleGoesInOneStatement() async throws {
    let service = try await TestService.start()
    let context = service.service.contexts[0]
    let writes = await context.loop.run {
      (0..<100).map { number in
        context.loop.execute { await context.audit.write(entry(number)) }
      }
    }
    for write in writes { await write.value }
    let written = try await service.database.query(
      "SELECT count(*), count(DISTINCT target), count(DISTINCT xmin::text) FROM audit_log")
    #expect(written == [["100", "100", "1"]])
    await service.stop()
  }

  /// While the database is away, entries wait for it like everything else; a bounded number, and
  /// not once more when it was waited for in vain.
  @Test func entriesWaitForTheDatabase() async throws {
    let service = try await TestService.start()
    let context = service.service.contexts[0]
    try await service.database.close()
    try await eventually { await context.loop.run { !context.database.isConnected } }
    let writes = await context.loop.run {
      (0..<Limits.waitingAuditEntries + 3).map { number in
        context.loop.execute { await context.audit.write(entry(number)) }
      }
    }
    for write in writes.suffix(3) { await write.value }
    #expect(lost(service) == 3)
    _ = await context.loop.run { await context.audit.write(entry(-1, status: 503)) }
    _ = await context.loop.run { await context.audit.write(entry(-2)) }
    #expect(lost(service) == 5)

    try await service.database.open()
    for write in writes { await write.value }
    _ = await context.loop.run { await context.audit.write(entry(-3)) }
    let written = try await service.database.query(
      "SELECT count(*), count(*) FILTER (WHERE target = '-3') FROM audit_log")
    #expect(written == [[String(Limits.waitingAuditEntries + 1), "1"]])
    await service.stop()
  }

  private func lost(_ service: TestService) -> Int {
    service.log.records.count { $0["event"] == "audit_failed" }
  }
}
