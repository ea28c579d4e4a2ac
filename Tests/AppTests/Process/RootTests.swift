import AppTesting
import EventLoop
import Foundation
import Glibc
import TestSupport
import Testing

/// Root starts the program with a database of its own, and becomes `postgres` for good.
@Suite(.serialized, .enabled(if: geteuid() == 0, "only root becomes somebody else"))
final class RootTests: Sendable {
  private let directory = "/tmp/postilion root tests \(UUID().uuidString.prefix(8))"
  private var data: String { "\(directory)/data" }

  deinit { try? FileManager.default.removeItem(atPath: directory) }

  private func serve(listen: String = "127.0.0.1:0") throws -> RunningProcess {
    try RunningProcess(
      ["serve", "--listen", listen],
      environment: [
        "POSTILION_DATA_DIR": data, "POSTILION_ROOT_KEY": TestService.rootKey,
        "POSTILION_LOOPS": "2", "POSTILION_DATABASE_TIMEOUT_SECONDS": "60",
      ])
  }

  private func account() throws -> (user: uid_t, groups: Set<gid_t>) {
    let entry = try #require(getpwnam("postgres")).pointee
    var (groups, count) = ([gid_t](repeating: 0, count: 100), Int32(100))
    #expect(getgrouplist("postgres", entry.pw_gid, &groups, &count) > 0)
    return (entry.pw_uid, Set(groups.prefix(Int(count))))
  }

  private func owner(_ path: String) -> uid_t? {
    var status = stat()
    return lstat(path, &status) == 0 ? status.st_uid : nil
  }

  /// The fields of a `status` in `/proc` (proc_pid_status(5)).
  private func status(_ path: String) throws -> [String: [String]] {
    let lines = try String(contentsOfFile: "/proc/\(path)/status", encoding: .utf8)
      .split(separator: "\n").map { $0.split { ":\t ".contains($0) }.map(String.init) }
    return Dictionary(lines.map { ($0[0], Array($0.dropFirst())) }) { $1 }
  }

  @Test func nothingOfRootIsLeft() async throws {
    let (user, groups) = try account()
    // Nobody but root may take it.
    let low = (512..<1024).lazy.map { "127.0.0.1:\($0)" }.first {
      SocketAddress($0).flatMap { try? TakenAddress($0, listeners: 0) } != nil
    }
    let address = try #require(low)
    let process = try serve(listen: address)
    #expect(try await address.hasSuffix(":\(process.ready())"))

    let threads = try FileManager.default.contentsOfDirectory(
      atPath: "/proc/\(process.identifier)/task")
    #expect(threads.count > 3)
    for thread in threads {
      let fields = try status("\(process.identifier)/task/\(thread)")
      #expect(Set(fields["Uid"] ?? []) == ["\(user)"], "\(fields)")
      #expect(Set(fields["Gid"] ?? []).isSubset(of: groups.map(String.init)), "\(fields)")
      #expect(Set(fields["Groups"] ?? []) == Set(groups.map(String.init)), "\(fields)")
      for set in ["CapPrm", "CapEff", "CapAmb"] {
        #expect(fields[set] == ["0000000000000000"], "\(set) of \(fields)")
      }
    }
    let lines = try String(contentsOfFile: "\(data)/cluster/postmaster.pid", encoding: .utf8)
    let postmaster = String(try #require(lines.split(separator: "\n").first))
    let server = try status(postmaster)
    #expect(server["Uid"]?.first == "\(user)" && server["NoNewPrivs"] == ["1"])
    for name in ["", "/lock", "/server.log", "/cluster"] {
      #expect(owner(data + name) == user, "\(name)")
    }
    // What somebody runs in the database is the same account, and cannot read the keys.
    let memory = "/proc/\(process.identifier)/environ"
    let reader = try Process.run(
      URL(filePath: "/usr/bin/env"), arguments: PostgresAccount.launcher + ["cat", memory])
    reader.waitUntilExit()
    #expect(reader.terminationStatus != 0)

    // The kernel ends the database with the service.
    process.signal(SIGKILL)
    _ = try await process.end()
    try await eventually { !FileManager.default.fileExists(atPath: "/proc/\(postmaster)") }
    let again = try serve()
    _ = try await again.ready()
    again.signal(SIGTERM)
    #expect(try await again.end() == 0)
  }

  @Test func aDirectoryOfSomebodyElseIsRefused() async throws {
    try FileManager.default.createDirectory(atPath: data, withIntermediateDirectories: true)
    #expect(chown(data, 65_533, 65_533) == 0)
    let process = try serve()
    #expect(try await process.end() == 69)
    let sentence = "The data directory \(data) belongs to user 65533"
    #expect(process.standardError.contains(sentence), "\(process.standardError)")
    #expect(owner(data) == 65_533)
    #expect(try FileManager.default.contentsOfDirectory(atPath: data).isEmpty)
  }

  /// The account puts links to what is root's into its folder.
  @Test(arguments: ["lock", "server.log", "cluster", "cluster.new"])
  func noLinkOfTheAccountReachesWhatIsRoots(name: String) async throws {
    let (secrets, secret) = ("\(directory)/secrets", "\(directory)/secrets/PG_VERSION")
    try FileManager.default.createDirectory(
      atPath: secrets, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    try "hunter2\n".write(toFile: secret, atomically: false, encoding: .utf8)
    let user = try account().user
    for target in [secrets, secret, "\(secrets)/made"] {
      try? FileManager.default.removeItem(atPath: data)
      let link = PostgresAccount.directory(data) + "/\(name)"
      #expect(symlink(target, link) == 0 && lchown(link, user, user) == 0)
      if name != "lock" {
        try "".write(toFile: "\(data)/lock", atomically: false, encoding: .utf8)
        #expect(chown("\(data)/lock", user, user) == 0)
      }
      let process = try serve()
      // It may start in spite of the link.
      _ = try? await process.ready()
      process.signal(SIGTERM)
      _ = try await process.end()
      #expect(!process.standardError.contains("hunter2"), "\(target): \(process.standardError)")
      #expect(try FileManager.default.contentsOfDirectory(atPath: secrets) == ["PG_VERSION"])
      #expect(try String(contentsOfFile: secret, encoding: .utf8) == "hunter2\n")
      #expect(owner(secrets) == 0 && owner(secret) == 0)
    }
  }
}
