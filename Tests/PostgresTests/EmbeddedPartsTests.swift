import Foundation
import Glibc
import Testing

@testable import Postgres

/// What a private PostgreSQL decides before a server runs.
@Suite struct EmbeddedPartsTests {
  @Test func missingProgramsAreOneSentenceThatSaysWhatToInstall() {
    let directory = "/tmp/postilion test \(UUID().uuidString)"
    defer { try? FileManager.default.removeItem(atPath: directory) }
    let postgres = EmbeddedPostgres(
      dataDirectory: directory, settings: [:], programDirectories: ["/nowhere", "/proc"])
    let error = #expect(throws: EmbeddedPostgresError.self) { try postgres.start() }
    #expect(
      error?.description == """
        PostgreSQL's server programs (initdb, postgres) were not found in /nowhere, /proc: \
        install them (Debian, Ubuntu: apt-get install postgresql) or give the URL of a running \
        PostgreSQL.
        """)
  }

  @Test(arguments: [
    ("0::/", [:], 24 << 30),
    ("0::/", ["/sys/fs/cgroup/memory.max": "max\n"], 24 << 30),
    ("0::/", ["/sys/fs/cgroup/memory.max": "536870912\n"], 512 << 20),
    // A unit's limit, and the smaller one of its slice.
    (
      "0::/a.slice/b.service",
      [
        "/sys/fs/cgroup/a.slice/memory.max": "1073741824\n",
        "/sys/fs/cgroup/a.slice/b.service/memory.max": "3221225472\n",
      ], 1 << 30
    ),
    // Of the first version, beside the second without controllers.
    (
      "4:cpu,memory:/x:y\n1:cpu:/z\n0::/",
      [
        "/sys/fs/cgroup/memory/memory.limit_in_bytes": "9223372036854771712\n",
        "/sys/fs/cgroup/memory/x:y/memory.limit_in_bytes": "2147483648\n",
      ], 2 << 30
    ),
    ("no line of a group", [:], 24 << 30),
  ])
  func memoryIsThatOfTheSmallestGroup(
    groups: String, files: [String: String], bytes: UInt64
  ) {
    let found = MemoryLimit.bytes(machine: 24 << 30) {
      $0 == "/proc/self/cgroup" ? groups : files[$0]
    }
    #expect(found == bytes)
  }

  @Test func buffersAreAnEighthOfTheMemoryWithinBounds() {
    let megabytes = [256, 1024, 3072, 8192, 24576].map {
      ClusterSettings.sharedBufferMegabytes(memory: UInt64($0) << 20)
    }
    #expect(megabytes == [128, 128, 384, 1024, 1024])
  }

  /// `/var` has a `lock`, too, and a service that starts in `/` would take it for its directory.
  @Test(arguments: [["photos"], ["lock", "photos"]])
  func aDirectoryWithOtherFilesIsLeftAlone(names: [String]) throws {
    let directory = "/tmp/postilion test \(UUID().uuidString)"
    defer { try? FileManager.default.removeItem(atPath: directory) }
    for name in names {
      try FileManager.default.createDirectory(
        atPath: "\(directory)/\(name)", withIntermediateDirectories: true)
    }
    let before = try FileManager.default.attributesOfItem(atPath: directory)[.posixPermissions]
    #expect(throws: EmbeddedPostgresError.dataDirectoryForeign(path: directory)) {
      try EmbeddedPostgres(dataDirectory: directory).start()
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: directory).sorted() == names)
    let after = try FileManager.default.attributesOfItem(atPath: directory)[.posixPermissions]
    #expect(after as? Int == before as? Int)
  }

  @Test func theServerOfTheClustersVersionIsTaken() throws {
    let root = "/tmp/postilion test \(UUID().uuidString)"
    defer { try? FileManager.default.removeItem(atPath: root) }
    let directories = ["\(root)/17.2", "\(root)/15.14"]
    for directory in directories {
      try FileManager.default.createDirectory(
        atPath: directory, withIntermediateDirectories: true)
      for program in ["initdb", "postgres"] {
        let script = """
          #!/bin/sh
          echo "postgres (PostgreSQL) $(basename "$(dirname "$0")") (Debian 1-1)"
          """
        let file = "\(directory)/\(program)"
        try Data(script.utf8).write(to: URL(filePath: file))
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: file)
      }
    }
    let newest = try ServerPrograms.find(in: directories, majorVersion: nil)
    #expect(newest.postgres == "\(root)/17.2/postgres")
    let fitting = try ServerPrograms.find(in: directories, majorVersion: "15")
    #expect(fitting.initdb == "\(root)/15.14/initdb")
    // Of another version the operator hears, and it never runs on the files.
    #expect(throws: EmbeddedPostgresError.versionMissing("16", found: ["17", "15"])) {
      try ServerPrograms.find(in: directories, majorVersion: "16")
    }
  }

  @Test(arguments: [("ready   ", true), ("starting", false), ("stopping", false), ("", false)])
  func readsTheServersStatus(status: String, isReady: Bool) throws {
    let lines = ["4242", "/data", "1700000000", "5432", "/data", "", "  5 6", status, ""]
    let file = try #require(PostmasterFile(text: lines.joined(separator: "\n")))
    #expect(file.process == 4242)
    #expect(file.isReady == isReady)
    let unfinished = try #require(PostmasterFile(text: lines[..<3].joined(separator: "\n")))
    #expect(!unfinished.isReady)
  }

  @Test(arguments: ["", "abc", "-4"])
  func readsNothingFromAHalfWrittenFile(firstLine: String) {
    #expect(PostmasterFile(text: firstLine + "\n") == nil)
  }

  @Test func connectionStringsQuoteAnyPath() {
    #expect(
      connectionString(["host": #"/a b/o'clock\x"#, "port": "5432"])
        == #"host='/a b/o\'clock\\x' port='5432'"#)
  }

  @Test func theSocketStaysInTheDataDirectoryWhileItsPathFits() {
    let longest = "/" + String(repeating: "d", count: 107 - 1 - 14)
    #expect(SocketDirectory.path(for: longest) == longest)
    #expect(SocketDirectory.path(for: longest + "d").hasPrefix("/tmp/postilion-"))
    // libpq reads a comma in `host` as the end of the first host.
    #expect(SocketDirectory.path(for: "/a,b").hasPrefix("/tmp/postilion-"))
  }

  @Test func aSocketDirectoryThatOthersCanOpenIsRefused() throws {
    let path = "/tmp/postilion test \(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: path) }
    chmod(path, 0o755)
    #expect(throws: EmbeddedPostgresError.socketDirectoryUnsafe(path: path)) {
      try SocketDirectory.create(path, for: geteuid())
    }
  }

  @Test func aDirectoryThatTheAccountMayNotPassIsNamed() throws {
    let root = "/tmp/postilion test \(UUID().uuidString)"
    try FileManager.default.createDirectory(
      atPath: "\(root)/private/data", withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: root) }
    chmod("\(root)/private", 0o700)
    let stranger = ServerAccount(userID: 65_533, groupID: 65_533)
    #expect(
      stranger.firstUnreachableDirectory(above: "\(root)/private/data") == "\(root)/private")
    #expect(stranger.firstUnreachableDirectory(above: "\(root)/private") == nil)
  }

  @Test func aProgramThatIsStartedHasNoDescriptorOfOthers() throws {
    var ends: [Int32] = [0, 0]
    #expect(pipe(&ends) == 0)
    defer { for end in ends { close(end) } }
    let child = try ChildProcess.spawn(
      ["/bin/sh", "-c", "test ! -e /proc/self/fd/\(ends[1])"], environment: [],
      output: STDERR_FILENO)
    #expect(ChildProcess.wait(for: child) == 0)
  }
}
