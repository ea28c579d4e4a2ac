import AppTesting
import Foundation
import Testing

/// Output that cannot be written: a full disk, and a reader that has left.
@Suite struct UnwritableOutputTests {
  private static func full() throws -> FileHandle {
    try #require(FileHandle(forWritingAtPath: "/dev/full"))
  }

  private static func unread() throws -> FileHandle {
    let pipe = Pipe()
    try pipe.fileHandleForReading.close()
    return pipe.fileHandleForWriting
  }

  @Test(arguments: [
    ["--help"], ["version"], ["man"], ["completions", "bash"], ["doctor", "--loops=none"],
  ])
  func aCommandWhoseOutputIsLostSaysSo(arguments: [String]) async throws {
    let full = try RunningProcess(arguments, output: try Self.full())
    #expect(try await full.end() == 74)
    #expect(
      full.standardError
        == "postilion: The output cannot be written: No space left on device.\n")
    let unread = try RunningProcess(arguments, output: try Self.unread())
    #expect(try await unread.end() == 128 + SIGPIPE)
    #expect(unread.standardError.isEmpty)
  }

  @Test func theExitStatusComesWhenNobodyCanReadWhy() async throws {
    for errors in [try Self.full(), try Self.unread()] {
      let process = try RunningProcess(["bogus"], errors: errors)
      #expect(try await process.end() == 64)
    }
  }

  @Test func theStepsOfTheSchemaGoOnUnread() async throws {
    let database = try await ScratchCluster.database(isMigrated: false)
    let process = try RunningProcess(
      ["migrate"], environment: ["DATABASE_URL": database.owner], output: try Self.full())
    #expect(try await process.end() == 74)
    let again = try RunningProcess(["migrate"], environment: ["DATABASE_URL": database.owner])
    #expect(try await again.end() == 0)
    #expect(again.standardOutput.isEmpty)
  }

  @Test func aServiceServesWhoeverReadsItsReadyLine() async throws {
    let database = try await ScratchCluster.database()
    for output in [try Self.full(), try Self.unread()] {
      let process = try RunningProcess(
        ["serve", "--listen", "127.0.0.1:0", "--loops", "1", "--webhooks", "off"],
        environment: [
          "DATABASE_URL": database.conninfo, "POSTILION_ROOT_KEY": TestService.rootKey,
          "POSTILION_DATABASE_TIMEOUT_SECONDS": "60",
        ],
        output: output)
      // The line after that of its address, so that the port is all there.
      try await eventually { process.standardError.contains(#""event":"webhooks_off""#) }
      let line = process.standardError.firstMatch(of: /"address":"127\.0\.0\.1:(\d+)"/)
      let port = try #require(line.flatMap { UInt16($0.output.1) })
      try await eventually { try await get(port, "/readyz").status == 200 }
      process.signal(SIGTERM)
      // The signal may come a moment before the service waits for one; then it ends at once.
      #expect([0, 128 + SIGTERM].contains(try await process.end()))
    }
  }
}
