import Foundation
import Glibc
import Testing

@testable import Postgres

/// What root gives to the account of PostgreSQL before it becomes that account. `RootTests` has the
/// rest, in a process that may become somebody else.
@Suite(.enabled(if: geteuid() == 0, "only root gives anything away"))
struct ServerAccountTests {
  private let root = "/tmp/postilion test \(UUID().uuidString)"
  private let account: ServerAccount
  private let ann: uid_t = 65_533

  init() throws {
    account = try ServerAccount()
    try FileManager.default.createDirectory(
      atPath: root, withIntermediateDirectories: true,
      attributes: [.posixPermissions: 0o755])
  }

  private func cleanUp() { try? FileManager.default.removeItem(atPath: root) }

  private func folder(_ path: String, _ mode: mode_t = 0o755, of owner: uid_t = 0) -> String {
    #expect(mkdir(path, mode) == 0 && chmod(path, mode) == 0 && chown(path, owner, owner) == 0)
    return path
  }

  private func owner(_ path: String) -> uid_t? {
    var status = stat()
    return lstat(path, &status) == 0 ? status.st_uid : nil
  }

  @Test func whatIsRootsAloneIsMadeAndGiven() throws {
    defer { cleanUp() }
    #expect(try account.give("\(root)/new/../new/data") == "\(root)/new/data")
    #expect(owner("\(root)/new") == 0 && owner("\(root)/new/data") == account.userID)
    let empty = folder("\(root)/empty")
    #expect(symlink("empty", "\(root)/link") == 0)
    #expect(try account.give("\(root)/link") == empty)
    #expect(owner(empty) == account.userID)
    let photos = folder("\(root)/photos")
    _ = folder("\(photos)/2026")
    #expect(throws: EmbeddedPostgresError.dataDirectoryForeign(path: photos)) {
      try account.give(photos)
    }
    #expect(owner(photos) == 0)
    // Others may have put there what looks like ours.
    let open = folder("\(root)/open", 0o777)
    _ = folder("\(open)/cluster")
    #expect(FileManager.default.createFile(atPath: "\(open)/lock", contents: nil))
    #expect(throws: EmbeddedPostgresError.dataDirectoryForeign(path: open)) {
      try account.give(open)
    }
    #expect(owner(open) == 0)
  }

  /// Whoever owns a folder on the way decides what is in it, and gets nothing of root for it.
  @Test func aFolderOfOthersGivesNothingOfRootAway() throws {
    defer { cleanUp() }
    let (anns, empty) = (folder("\(root)/ann", of: ann), folder("\(root)/empty"))
    #expect(symlink(empty, "\(anns)/link") == 0)
    _ = folder("\(anns)/roots")
    // A link of others in a folder where everybody keeps what is theirs.
    let shared = "/tmp/postilion-link-\(UUID().uuidString)"
    #expect(symlink(empty, shared) == 0 && lchown(shared, ann, ann) == 0)
    defer { unlink(shared) }
    // One of root's, which others may have moved there.
    let moved = "\(shared)-moved"
    #expect(symlink(empty, moved) == 0)
    defer { unlink(moved) }
    for path in ["\(anns)/link", "\(anns)/roots", shared, moved] {
      #expect(throws: EmbeddedPostgresError.self) { try account.give(path) }
    }
    #expect(throws: EmbeddedPostgresError.self) { try account.give(anns) }
    #expect(owner(empty) == 0 && owner("\(anns)/roots") == 0 && owner(anns) == ann)
    // What is missing behind such a link, or where everybody may write, is left to the account.
    let pool = folder("\(root)/pool", 0o777)
    for path in ["\(anns)/link/new", "\(shared)/new", "\(pool)/new"] {
      let given = try account.give(path)
      #expect(owner(given) == nil, "\(given)")
    }
    // Root makes one in Ann's own folder, and what is below it is left to the account.
    #expect(try account.give("\(anns)/made/data") == "\(anns)/made/data")
    #expect(owner("\(anns)/made") == account.userID && owner("\(anns)/made/data") == nil)
  }

  @Test func rootGoesNoFurtherThanAFolderOfTheAccount() throws {
    defer { cleanUp() }
    let (data, secrets) = (folder("\(root)/data", of: account.userID), folder("\(root)/secrets"))
    #expect(symlink(secrets, "\(data)/link") == 0)
    for path in ["\(data)/link", "\(data)/new", "\(data)/link/new"] {
      #expect(try account.give(path) == path)
    }
    #expect(owner(secrets) == 0 && owner("\(secrets)/new") == nil && owner("\(data)/new") == nil)
  }
}
