internal import CLinux
internal import Glibc

/// Whose rights count where a file is opened, made, renamed or removed.
///
/// Root may do everything everywhere, also by a symbolic link that somebody else has put into a
/// folder of theirs: a `server.log` that points to `/etc/cron.d/x` would be written. So root holds
/// the rights of the owner of a folder while it does something in it, and then can do no more than
/// that owner could.
struct FileRights: Equatable {
  let userID: uid_t
  let groupID: gid_t

  /// Those of this process.
  static var own: Self { Self(userID: geteuid(), groupID: getegid()) }

  /// Runs something with these rights and no others. Linux keeps the rights at files for each
  /// thread (setfsuid(2)), and takes root's power over files (CAP_DAC_OVERRIDE and its like) away
  /// from the thread meanwhile (capabilities(7)). Without root there is nothing to change.
  ///
  /// - Parameter body: Stays on this thread, and holds no other rights within.
  /// - Throws: what `body` throws; when the kernel refuses the rights, `body` does not run.
  func hold<Result>(
    _ body: () throws(EmbeddedPostgresError) -> Result
  ) throws(EmbeddedPostgresError) -> Result {
    let own = Self.own
    guard own.userID == 0, self != own else { return try body() }
    precondition(Self.held == own, "rights are not held one within the other")
    var groups = [gid_t](repeating: 0, count: Int(max(0, getgroups(0, nil))))
    let count = getgroups(Int32(groups.count), &groups)
    guard postilion_set_groups(1, [groupID]) == 0 else { throw .failed(action) }
    defer {
      setfsuid(own.userID)
      setfsgid(own.groupID)
      let isBack = postilion_set_groups(count, groups) == 0 && Self.held == own
      precondition(isBack, "a thread of root gets its own rights back")
    }
    setfsgid(groupID)
    setfsuid(userID)
    guard Self.held == self else {
      throw .system(action: action, reason: "the kernel refuses them")
    }
    return try body()
  }

  /// Those of this thread. The calls return what was before, and nobody has the highest number.
  private static var held: Self {
    Self(
      userID: uid_t(bitPattern: setfsuid(.max)), groupID: gid_t(bitPattern: setfsgid(.max)))
  }

  private var action: String { "take the rights of user \(userID) at files" }
}
