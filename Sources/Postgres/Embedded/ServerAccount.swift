internal import Glibc

/// The operating system account that a private PostgreSQL runs under: our own, or `postgres` when
/// the service is root, because the server refuses to run as root.
struct ServerAccount: Equatable {
  let userID: uid_t
  let groupID: gid_t
  /// The account's name when it is not our own.
  let otherName: String?

  /// The rights with which the account's files are opened, made, renamed and removed.
  var rights: FileRights { FileRights(userID: userID, groupID: groupID) }

  /// The account for this process.
  static func current() throws(EmbeddedPostgresError) -> Self {
    guard geteuid() == 0 else {
      return Self(userID: geteuid(), groupID: getegid(), otherName: nil)
    }
    guard let entry = getpwnam("postgres") else { throw .accountMissing(name: "postgres") }
    return Self(
      userID: entry.pointee.pw_uid, groupID: entry.pointee.pw_gid, otherName: "postgres")
  }

  /// What goes before a command so that it runs under the account.
  ///
  /// - Parameter endsWithService: the kernel sends the command SIGINT, which is PostgreSQL's fast
  ///   shutdown, when the thread that started it dies, so that a killed service leaves no server.
  func launcher(
    searchPath: [String], endsWithService: Bool
  ) throws(EmbeddedPostgresError) -> [String] {
    let candidates: [String] = (searchPath + ["/usr/bin", "/bin"]).map { "\($0)/setpriv" }
    guard let setpriv = candidates.first(where: { access($0, X_OK) == 0 }) else {
      // Under our own account the server only loses that signal: the next start stops the orphan.
      guard otherName == nil else { throw .setprivMissing }
      return []
    }
    var command = [setpriv]
    if endsWithService { command += ["--pdeathsig", "INT"] }
    if otherName != nil {
      command += ["--reuid=\(userID)", "--regid=\(groupID)", "--init-groups"]
    }
    return command.count == 1 ? [] : command + ["--"]
  }

  /// The first directory on the way to `path` that the account may not pass, if any.
  ///
  /// Looks at owner, group and others; supplementary groups and ACLs are left out, which can only
  /// refuse too much.
  func firstUnreachableDirectory(above path: String) -> String? {
    guard otherName != nil else { return nil }
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
