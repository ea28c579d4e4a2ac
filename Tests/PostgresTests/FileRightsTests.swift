import Foundation
import Glibc
import Testing

@testable import Postgres

/// Root runs a private PostgreSQL in a folder that belongs to another account, and that account
/// puts links to root's files there.
@Suite(.enabled(if: geteuid() == 0, "only root has rights that it must not use"))
struct FileRightsTests {
  private let root = "/tmp/postilion test \(UUID().uuidString)"
  private let account: ServerAccount

  init() throws {
    account = try ServerAccount.current()
    try FileManager.default.createDirectory(atPath: root, withIntermediateDirectories: true)
  }

  private func cleanUp() { try? FileManager.default.removeItem(atPath: root) }

  /// A link of the account.
  private func plant(_ name: String, _ target: String) {
    #expect(symlink(target, name) == 0, "\(name)")
    #expect(lchown(name, account.userID, account.groupID) == 0)
  }

  /// What must stay as it is: owner, mode, size, when it was written, and when it was read.
  private func state(_ file: String) throws -> [Int] {
    var status = stat()
    try #require(stat(file, &status) == 0, "\(file)")
    return [
      Int(status.st_uid), Int(status.st_gid), Int(status.st_mode), Int(status.st_size),
      status.st_mtim.tv_sec, status.st_atim.tv_sec,
    ]
  }

  /// A file that only root may read, last read long before it was written.
  private func makeSecret(_ file: String, _ text: String) throws {
    try text.write(toFile: file, atomically: false, encoding: .utf8)
    chmod(file, 0o600)
    var times = [
      timeval(tv_sec: 1_000_000_000, tv_usec: 0), timeval(tv_sec: 1_600_000_000, tv_usec: 0),
    ]
    #expect(utimes(file, &times) == 0)
  }

  @Test func noLinkOfTheAccountReachesWhatIsRoots() throws {
    defer { cleanUp() }
    let data = "\(root)/data"
    let first = EmbeddedPostgres(dataDirectory: data, settings: ["fsync": "off"])
    _ = try first.start()
    first.stop()

    let secrets = "\(root)/secrets"
    try FileManager.default.createDirectory(
      atPath: secrets, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    let secret = "\(secrets)/hunter2"
    try makeSecret(secret, "FATAL:  hunter2\n")
    try makeSecret("\(secrets)/PG_VERSION", "15\nhunter2\n")
    try makeSecret("\(secrets)/postmaster.pid", "1\nhunter2\n")
    let kept = ["hunter2", "PG_VERSION", "postmaster.pid"].map { "\(secrets)/\($0)" }
    let before = try kept.map(state)

    let links = [
      "server.log": [secret, "\(secrets)/made"], "server.log.1": [secret, "\(secrets)/made"],
      "lock": [secret, "\(secrets)/made"], "cluster": [secrets, "\(secrets)/made"],
      "cluster.new": [secrets, secret], "cluster/postmaster.pid": [secret],
      "cluster/PG_VERSION": [secret], ".s.PGSQL.5432": [secret, "\(secrets)/made"],
      ".s.PGSQL.5432.lock": [secret],
    ]
    for (name, targets) in links {
      for target in targets {
        let (file, aside) = ("\(data)/\(name)", "\(root)/aside")
        rename(file, aside)
        // An unfinished cluster is removed where there is no finished one.
        let isUnfinished = name == "cluster.new"
        if isUnfinished { rename("\(data)/cluster", "\(root)/whole") }
        if name == "server.log.1" { truncate("\(data)/server.log", 11_000_000) }
        plant(file, target)
        let server = EmbeddedPostgres(dataDirectory: data, settings: ["fsync": "off"])
        do {
          _ = try server.start()
        } catch {
          #expect("\(error)".lowercased().contains("could not"), "\(name): \(error)")
          #expect(!"\(error)".contains("hunter2"), "\(name): \(error)")
        }
        server.stop()
        #expect(try kept.map(state) == before, "\(name) led to \(target)")
        let present = try FileManager.default.contentsOfDirectory(atPath: secrets)
        #expect(Set(present) == ["hunter2", "PG_VERSION", "postmaster.pid"], "\(name)")
        try? FileManager.default.removeItem(atPath: file)
        rename(aside, file)
        if isUnfinished {
          try FileManager.default.removeItem(atPath: "\(data)/cluster")
          rename("\(root)/whole", "\(data)/cluster")
        }
      }
    }
    let last = EmbeddedPostgres(dataDirectory: data, settings: ["fsync": "off"])
    _ = try last.start()
    last.stop()
  }

  @Test func whatRootLeftInTheFolderIsReplaced() throws {
    defer { cleanUp() }
    let data = "\(root)/data"
    try FileManager.default.createDirectory(atPath: data, withIntermediateDirectories: true)
    for name in ["lock", "server.log"] {
      try "old".write(toFile: "\(data)/\(name)", atomically: false, encoding: .utf8)
      chmod("\(data)/\(name)", 0o600)
    }
    let directory = try DataDirectory.open(data, account: account)
    defer { directory.unlock() }
    close(try directory.openLog())
    for name in ["", "/lock", "/server.log"] {
      var status = stat()
      #expect(lstat(data + name, &status) == 0 && status.st_uid == account.userID, "\(name)")
    }
    #expect(throws: EmbeddedPostgresError.dataDirectoryInUse(path: data)) {
      try DataDirectory.open(data, account: account)
    }
  }

  @Test func theRightsComeBackAlsoAfterAnError() throws {
    defer { cleanUp() }
    let file = "\(root)/secret"
    try makeSecret(file, "x")
    let error = #expect(throws: EmbeddedPostgresError.self) {
      try account.rights.hold { () throws(EmbeddedPostgresError) in
        guard open(file, O_RDONLY) >= 0 else { throw .failed("open") }
      }
    }
    #expect(error == .system(action: "open", reason: "Permission denied"))
    let descriptor = open(file, O_RDONLY)
    #expect(descriptor >= 0)
    close(descriptor)
  }

  /// Whoever owns a folder on the way decides what is in it, and gets nothing of root for it.
  @Test func aFolderOfOthersGivesNothingOfRootAway() throws {
    defer { cleanUp() }
    chmod(root, 0o755)
    let (folder, empty) = ("\(root)/folder", "\(root)/empty")
    for path in [folder, empty] { #expect(mkdir(path, 0o755) == 0) }
    #expect(chown(folder, 65_533, 65_533) == 0)
    #expect(symlink(empty, "\(folder)/link") == 0)
    #expect(throws: EmbeddedPostgresError.self) {
      try DataDirectory.open("\(folder)/link", account: account)
    }
    // A link of others in a folder where everybody keeps what is theirs.
    let shared = "/tmp/postilion-link-\(UUID().uuidString)"
    #expect(symlink(empty, shared) == 0 && lchown(shared, 65_533, 65_533) == 0)
    defer { unlink(shared) }
    #expect(throws: EmbeddedPostgresError.self) {
      try DataDirectory.open(shared, account: account)
    }
    var status = stat()
    #expect(stat(empty, &status) == 0 && status.st_uid == 0)
    // One that is missing is made as its owner would, and becomes the server's.
    let made = try DataDirectory.open("\(folder)/made/data", account: account)
    made.unlock()
    #expect(stat("\(folder)/made", &status) == 0 && status.st_uid == 65_533)
    #expect(stat("\(folder)/made/data", &status) == 0 && status.st_uid == account.userID)
  }

  @Test func aTemporaryDirectoryIsGoneAndWhatItLinkedToIsNot() throws {
    defer { cleanUp() }
    chmod(root, 0o755)
    let (data, kept) = ("\(root)/data", "\(root)/kept")
    #expect(mkdir(kept, 0o700) == 0)
    try makeSecret("\(kept)/file", "x")
    let server = EmbeddedPostgres(
      dataDirectory: data, settings: ["fsync": "off"], isTemporary: true)
    _ = try server.start()
    plant("\(data)/cluster/link", kept)
    server.stop()
    #expect(access(data, F_OK) != 0)
    #expect(access("\(kept)/file", F_OK) == 0)
  }
}
