internal import CLinux
internal import FoundationEssentials
internal import Glibc

/// The way of root to a data directory, step by step from the root of the file system. Root makes
/// what is missing, and gives the directory away, as long as nobody else decides what is on the
/// way: others could put one thing in the place of another, and have root give that away.
///
/// | way | what root does |
/// |---|---|
/// | `/var/lib/data` | makes it, or takes its own, and gives it away |
/// | `/tmp/data`: in a sticky folder everybody keeps what is theirs | the same |
/// | `/srv/ann/data`, where `/srv/ann` is Ann's | makes one, and gives away no other |
/// | `/tmp/link/data`, where Ann made the link to `/etc`, or moved one of root's there | nothing |
/// | `/pool/data`, where everybody may write into `/pool` | nothing: the account makes it itself |
/// | `/srv/db/data`, where `/srv/db` is the account's | nothing, and goes no further |
final class DirectoryPath {
  /// As far as root goes: absolute, without links.
  private(set) var text = ""
  /// The names behind that, the last one first: they are left to the account.
  private(set) var rest: [String]
  /// Stands for the directory, and opens nothing in it.
  private var place: Int32
  /// Who decides what is on the way; `nil` when many do.
  private var owner: uid_t? = 0

  /// Whether only root decides what is on the way.
  private var isRootsAlone: Bool { owner == 0 }
  /// Whether root came to the end, and nobody else decides what is there.
  var isRoots: Bool { rest.isEmpty && isRootsAlone }

  deinit { close(place) }

  /// Goes as far as root may; a relative path starts at the working directory.
  init(to given: String, for account: ServerAccount) throws(EmbeddedPostgresError) {
    let start = given.hasPrefix("/") ? "" : FileManager.default.currentDirectoryPath
    place = open("/", postilion_place_only | O_DIRECTORY | O_CLOEXEC)
    rest = Self.names("\(start)/\(given)")
    var links = 0
    while let name = rest.last {
      let status = status
      if status.st_uid == account.userID { return }
      if isRootsAlone, status.st_uid != 0 { owner = status.st_uid }
      if isRootsAlone, status.st_mode & 0o022 != 0, status.st_mode & S_ISVTX == 0 { owner = nil }
      if try step(to: name) { continue }
      if let target = try link(name) {
        links += 1
        guard links <= Limits.links else {
          throw .system(action: "open \(given)", reason: "too many links")
        }
        if target.hasPrefix("/") { enter(open("/", postilion_place_only | O_CLOEXEC), "") }
        rest = rest.dropLast() + Self.names(target)
      } else if status.st_uid == owner {
        // In a folder of others it is the account's at once, and root goes no further.
        let made = mkdirat(place, name, 0o755)
        guard made == 0 || (errno == EEXIST && isRootsAlone), try step(to: name) else {
          throw .failed("create \(text)/\(name)")
        }
        if !isRootsAlone { try give(to: account, isNew: true) }
      } else {
        return
      }
    }
  }

  private var status: stat {
    var status = stat()
    fstat(place, &status)
    return status
  }

  /// Makes the directory the account's alone: one that is root's, with nothing of others in it.
  /// - Parameter isNew: It was made just now, in a folder of others, who may have put another one
  ///   in its place. So it has nothing in it; and neither has one into which others may write.
  func give(to account: ServerAccount, isNew: Bool = false) throws(EmbeddedPostgresError) {
    let status = status
    let owner = status.st_uid
    guard owner != account.userID else { return }
    guard owner == 0, isNew || isRootsAlone else {
      throw .dataDirectoryOfOthers(path: text, owner: owner, account: ServerAccount.name)
    }
    // The place again, and no name, behind which something else may be by now.
    let directory = openat(place, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard directory >= 0 else { throw .failed("open \(text)") }
    defer { close(directory) }
    try DataDirectory.requireOurs(
      directory, path: text, isNew: isNew || status.st_mode & 0o022 != 0)
    guard fchmod(directory, 0o700) == 0,
      fchown(directory, account.userID, account.groupID) == 0
    else { throw .failed("give \(text) to \(ServerAccount.name)") }
  }

  /// The parts of a path, the last one first.
  private static func names(_ path: String) -> [String] {
    path.split(separator: "/").map(String.init).filter { $0 != "." }.reversed()
  }

  /// Goes on to a name in the directory.
  /// - Returns: `false`, and the error, if there is no directory of this name.
  private func step(to name: String) throws(EmbeddedPostgresError) -> Bool {
    let flags = postilion_place_only | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC
    let next = openat(place, name, flags)
    guard next >= 0 else {
      guard [ENOENT, ENOTDIR].contains(errno) else { throw .failed("open \(text)/\(name)") }
      return false
    }
    enter(next, name)
    rest.removeLast()
    return true
  }

  private func enter(_ next: Int32, _ name: String) {
    close(place)
    place = next
    switch name {
    case "": text = ""
    case "..": text = String(text[..<(text.lastIndex(of: "/") ?? text.startIndex)])
    default: text += "/\(name)"
    }
  }

  /// The target of a link in the directory; `nil` if nothing has the name. The account that made a
  /// link decides where it leads, and whoever may write into the directory may move one there.
  private func link(_ name: String) throws(EmbeddedPostgresError) -> String? {
    var status = stat()
    if fstatat(place, name, &status, AT_SYMLINK_NOFOLLOW) != 0, errno == ENOENT { return nil }
    if isRootsAlone, status.st_uid != 0 { owner = status.st_uid }
    if isRootsAlone, self.status.st_mode & 0o022 != 0 { owner = nil }
    var target = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = readlinkat(place, name, &target, target.count)
    guard count > 0 else {
      throw .system(action: "open \(text)/\(name)", reason: "it is no directory")
    }
    return String(decoding: target.prefix(count).map(UInt8.init(bitPattern:)), as: UTF8.self)
  }
}
