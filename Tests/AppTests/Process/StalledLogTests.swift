import AppTesting
import Foundation
import Testing

/// A log that nobody reads, as of a collector that hangs: the service goes on, and can be stopped.
@Suite struct StalledLogTests {
  /// Each is a line of some 190 bytes, and the pipe takes 64 KiB of them.
  private static let refusals = 5000

  @Test func aLogThatNobodyReadsHoldsUpNothing() async throws {
    let database = try await ScratchCluster.database()
    let process = try RunningProcess(
      ["serve", "--listen", "127.0.0.1:0"],
      environment: [
        "DATABASE_URL": database.conninfo, "POSTILION_ROOT_KEY": TestService.rootKey,
        "POSTILION_LOOPS": "2",
      ],
      readsErrors: false)
    let port = try await process.ready()
    try await blocking {
      let wire = try Wire(port: port)
      let request = Array("GET /nothing HTTP/1.1\r\nHost: a\r\n\r\n".utf8)
      for _ in 0..<Self.refusals {
        try wire.send(request)
        #expect(try wire.receive().status == 404)
      }
    }
    let metrics = try await get(port, "/metrics").text
    #expect(metrics.contains("\npostilion_log_lines_dropped_total "))
    process.signal(SIGTERM)
    #expect(try await process.end() == 0)
  }
}
