internal import CLinux
internal import Glibc

/// The account `postgres`, which root becomes before it runs a private PostgreSQL: the server
/// refuses to run as root. It may put anything into the place of anything else in its folders, so
/// root gives it the data directory, and from then on can do no more than the account could.
struct ServerAccount {
  static let name = "postgres"
  let userID: uid_t
  let groupID: gid_t

  /// The process becomes the account for good. If this throws, the process must end.
  func become() throws(EmbeddedPostgresError) {
    // The calls of glibc reach all threads (nptl(7)). The user comes last, as nobody else may
    // change the groups. The kernel takes all capabilities from whoever stops being root.
    let isChanged =
      initgroups(Self.name, groupID) == 0 && setgid(groupID) == 0 && setuid(userID) == 0
    guard isChanged, postilion_seal_process() == 0 else {
      throw .failed("become the account \"\(Self.name)\"")
    }
    // A kernel that was told to keep capabilities (SECBIT_NO_SETUID_FIXUP) lets root come back.
    guard getuid() == userID, getgid() == groupID, setuid(0) != 0, setgid(0) != 0,
      !postilion_has_capabilities()
    else {
      throw .system(action: "give up the rights of root", reason: "the kernel keeps them")
    }
  }

  // MARK: The data directory

  /// Where a data directory goes when the asked-for one is closed to the account.
  private static let publicParent = "/var/lib/postilion-root"

  /// Makes a data directory where it is missing, and makes it the account's.
  ///
  /// Below a directory that the account may not pass, such as root's own home, a new one becomes a
  /// symbolic link to a fresh one in `/var/lib/postilion-root`. One with a cluster in it stays
  /// where it is, and the error names the directory in the way.
  /// - Returns: Where it is, without links as far as root goes.
  func give(_ given: String) throws(EmbeddedPostgresError) -> String {
    var way = try DirectoryPath(to: given, for: self)
    if let obstacle = firstUnreachableDirectory(above: way.text) {
      let asked = way
      guard asked.isRoots, rmdir(asked.text) == 0 else {
        throw .unreachable(directory: obstacle, account: Self.name)
      }
      let name = String(UInt64.random(in: 0...UInt64.max), radix: 36)
      way = try DirectoryPath(to: "\(Self.publicParent)/data-\(name)", for: self)
      // Root may make all its folders for itself alone (umask(2)).
      guard way.isRoots, chmod(Self.publicParent, 0o755) == 0, symlink(way.text, asked.text) == 0
      else { throw .failed("link \(asked.text) to \(way.text)") }
    }
    // Otherwise it is in a folder of the account, or the account has to make it.
    if way.rest.isEmpty { try way.give(to: self) }
    return ([way.text] + way.rest.reversed()).joined(separator: "/")
  }

  /// The first directory on the way to `path` that the account may not pass, if any.
  ///
  /// Looks at owner, group and others; supplementary groups and ACLs are left out, which can only
  /// refuse too much.
  func firstUnreachableDirectory(above path: String) -> String? {
    var directory = ""
    for component in path.split(separator: "/").dropLast() {
      directory += "/\(component)"
      var status = stat()
      guard stat(directory, &status) == 0 else { return nil }
      let executable =
        status.st_uid == userID ? S_IXUSR : status.st_gid == groupID ? S_IXGRP : S_IXOTH
      if status.st_mode & executable == 0 { return directory }
    }
    return nil
  }
}

extension ServerAccount {
  init() throws(EmbeddedPostgresError) {
    guard let entry = getpwnam(Self.name) else { throw .accountMissing(name: Self.name) }
    self.init(userID: entry.pointee.pw_uid, groupID: entry.pointee.pw_gid)
  }
}

extension EmbeddedPostgres {
  /// Root becomes the account of PostgreSQL for good, after it gave a data directory to it; all
  /// others stay what they are. Call it before anything else is done with the directory, after
  /// whatever needs root, and before the event loops start.
  ///
  /// - Parameter makes: Whether the directory is made and given; otherwise it is only found.
  /// - Returns: The directory, as the account reaches it.
  /// - Throws: When the process may still be root: it must end.
  public static func leaveRoot(
    for directory: String, makes: Bool
  ) throws(EmbeddedPostgresError) -> String {
    guard geteuid() == 0 else { return directory }
    let account = try ServerAccount()
    var path = directory
    if makes {
      path = try account.give(directory)
    } else if let resolved = realpath(directory, nil) {
      path = String(cString: resolved)
      free(resolved)
    }
    try account.become()
    return path
  }
}
