internal import CLinux
internal import Glibc

/// A directory that was reached step by step from the root of the file system, and made where it
/// was missing.
///
/// Root goes with its own rights only as far as all is root's alone. In the first folder in which
/// somebody else could put one thing in the place of another, it takes the rights of that folder's
/// owner, and keeps them to the end:
///
/// | way | rights at the end |
/// |---|---|
/// | `/var/lib/postilion` | root's |
/// | `/tmp/data`: in a sticky folder everybody keeps what is theirs | root's |
/// | `/srv/ann/data`, where `/srv/ann` is Ann's | Ann's |
/// | `/tmp/link`, a link that Ann made to `/etc` | Ann's |
/// | `/pool/data`, where everybody may write into `/pool` | the server's account's |
final class DirectoryPath {
  /// Absolute, without links.
  private(set) var text = ""
  /// Stands for the directory, and opens nothing in it.
  private var place: Int32
  private(set) var rights = FileRights.own
  /// Whether the directory was made just now.
  private(set) var isNew = false

  deinit { close(place) }

  /// Follows a path; a relative one starts at the working directory.
  init(
    making given: String, account: ServerAccount
  ) throws(EmbeddedPostgresError) {
    place = open("/", postilion_place_only | O_DIRECTORY | O_CLOEXEC)
    guard place >= 0 else { throw .failed("open /") }
    var rest = Self.names(given.hasPrefix("/") ? given : "\(Self.workingDirectory)/\(given)")
    var links = 0
    while let name = rest.popLast() {
      try takeRights(account)
      guard let target = try step(name) else { continue }
      links += 1
      guard links <= Limits.links else {
        throw .system(action: "open \(given)", reason: "too many links")
      }
      if target.hasPrefix("/") { try step(to: open("/", postilion_place_only | O_CLOEXEC), "") }
      rest += Self.names(target)
    }
  }

  /// Opens the directory itself.
  func opened(with rights: FileRights) throws(EmbeddedPostgresError) -> Int32 {
    try rights.hold { () throws(EmbeddedPostgresError) in
      let descriptor = openat(place, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
      guard descriptor >= 0 else { throw .failed("open \(text)") }
      return descriptor
    }
  }

  /// What the system tells of the directory.
  var status: stat {
    var status = stat()
    fstat(place, &status)
    return status
  }

  /// The parts of a path, the last one first.
  private static func names(_ path: String) -> [String] {
    path.split(separator: "/").map(String.init).filter { $0 != "." }.reversed()
  }

  private static var workingDirectory: String {
    guard let directory = getcwd(nil, 0) else { return "" }
    defer { free(directory) }
    return String(cString: directory)
  }

  /// Takes the rights for what is done in the directory.
  private func takeRights(_ account: ServerAccount) throws(EmbeddedPostgresError) {
    guard rights.userID == 0 else { return }
    let status = status
    if status.st_uid != 0 {
      rights = FileRights(userID: status.st_uid, groupID: status.st_gid)
    } else if status.st_mode & 0o022 != 0, status.st_mode & S_ISVTX == 0 {
      rights = account.rights
    }
  }

  /// Goes on to a name in the directory.
  /// - Returns: The target if it is a link; then it stays where it is.
  private func step(_ name: String) throws(EmbeddedPostgresError) -> String? {
    let flags = postilion_place_only | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC
    let (place, text) = (place, text)
    var isNew = false
    let next = try rights.hold { () throws(EmbeddedPostgresError) in
      let next = openat(place, name, flags)
      guard next < 0, errno == ENOENT else { return next }
      guard mkdirat(place, name, 0o755) == 0 || errno == EEXIST else {
        throw .failed("create \(text)/\(name)")
      }
      isNew = true
      return openat(place, name, flags)
    }
    if next < 0, let target = try link(name) { return target }
    try step(to: next, name)
    self.isNew = isNew
    return nil
  }

  private func step(to next: Int32, _ name: String) throws(EmbeddedPostgresError) {
    guard next >= 0 else { throw .failed("open \(text)/\(name)") }
    close(place)
    place = next
    switch name {
    case "": text = ""
    case "..": text = String(text[..<(text.lastIndex(of: "/") ?? text.startIndex)])
    default: text += "/\(name)"
    }
  }

  /// The target of a link in the directory; `nil`, and the error before, if it is none. Whoever
  /// made it decides where it leads, so from here on the rights are theirs.
  private func link(_ name: String) throws(EmbeddedPostgresError) -> String? {
    let reason = errno
    var status = stat()
    guard fstatat(place, name, &status, AT_SYMLINK_NOFOLLOW) == 0,
      status.st_mode & S_IFMT == S_IFLNK
    else {
      errno = reason
      return nil
    }
    if rights.userID == 0, status.st_uid != 0 {
      rights = FileRights(userID: status.st_uid, groupID: status.st_gid)
    }
    let place = place
    return try rights.hold { () throws(EmbeddedPostgresError) in
      var target = [CChar](repeating: 0, count: Int(PATH_MAX))
      let count = readlinkat(place, name, &target, target.count)
      guard count > 0 else { throw .failed("read the link \(text)/\(name)") }
      return String(decoding: target.prefix(count).map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
  }
}
