internal import Foundation
internal import Glibc

/// The account under which tests run PostgreSQL, which refuses root: that of the tests, or
/// `postgres`. The program becomes that account; tests stay root.
public enum PostgresAccount {
  /// The words in front of a command that make it run under the account.
  public static let launcher =
    geteuid() == 0
    ? ["setpriv", "--reuid=postgres", "--regid=postgres", "--init-groups", "--"] : []

  /// Makes a directory that is there for the account alone.
  /// - Returns: Its path.
  public static func directory(_ path: String) -> String {
    try? FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    chmod(path, 0o700)
    if geteuid() == 0, let account = getpwnam("postgres") {
      chown(path, account.pointee.pw_uid, account.pointee.pw_gid)
    }
    return path
  }
}
