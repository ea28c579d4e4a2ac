/// Why a private PostgreSQL cannot run; the description is one sentence for the operator.
public enum EmbeddedPostgresError: Error, Sendable, Equatable, CustomStringConvertible {
  /// No directory holds both `initdb` and `postgres`.
  case programsMissing(searched: [String])
  /// The cluster is of a major version whose programs are not there; programs of other versions may
  /// be there.
  case versionMissing(String, found: [String])
  /// The service runs as root, which PostgreSQL refuses, and the account to use is not there.
  case accountMissing(name: String)
  /// The account that runs PostgreSQL may not pass through `directory` to its data.
  case unreachable(directory: String, account: String)
  /// Another service holds the lock of this data directory.
  case dataDirectoryInUse(path: String)
  /// The directory holds files that are not ours; we would change their owner and mode.
  case dataDirectoryForeign(path: String)
  /// The directory belongs to an account that is neither ours nor that of the server.
  case dataDirectoryOfOthers(path: String, owner: UInt32, account: String)
  /// Something in the data directory is neither a file nor a folder, such as a pipe.
  case notAFile(path: String)
  /// The directory for the socket in `/tmp` exists and is not private to the account.
  case socketDirectoryUnsafe(path: String)
  /// `initdb` failed.
  case initializationFailed(reason: String, log: String)
  /// The server ended, or was not ready in time.
  case startFailed(reason: String, log: String)
  /// The server ended because its disk has no room.
  case diskFull(reason: String, log: String)
  /// A server of an earlier run does not end.
  case orphanRunning(processes: [Int32])
  /// The server runs, and the database in it could not be created.
  case databaseNotCreated(reason: String)
  /// The operating system refused something.
  case system(action: String, reason: String)

  /// One sentence: what is wrong and what to do about it.
  public var description: String {
    switch self {
    case .programsMissing(let searched):
      """
      PostgreSQL's server programs (initdb, postgres) were not found in \
      \(searched.joined(separator: ", ")): install them (Debian, Ubuntu: apt-get install \
      postgresql) or give the URL of a running PostgreSQL.
      """
    case .versionMissing(let version, let found):
      """
      The data are of PostgreSQL \(version), which no other version reads, and this machine has \
      \(found.joined(separator: ", ")): install postgresql-\(version), or restore a dump into a \
      PostgreSQL of your own (docs/operations.md).
      """
    case .accountMissing(let name):
      """
      PostgreSQL does not run as root and there is no account "\(name)" to run it under: create \
      it (useradd --system \(name)) or start the service as another user.
      """
    case .unreachable(let directory, let account):
      """
      The account "\(account)", under which PostgreSQL runs, may not pass through \(directory): \
      chmod o+x that directory or name another data directory.
      """
    case .dataDirectoryInUse(let path):
      "Another running service uses the data directory \(path): stop it or name another directory."
    case .dataDirectoryForeign(let path):
      """
      The data directory \(path) holds other files: name a new or an empty one \
      (POSTILION_DATA_DIR), or the URL of a running PostgreSQL (DATABASE_URL).
      """
    case .dataDirectoryOfOthers(let path, let owner, let account):
      """
      The data directory \(path) belongs to user \(owner), or somebody else leads to it: name \
      another one (POSTILION_DATA_DIR) or the URL of a running PostgreSQL (DATABASE_URL). If it is \
      yours, run this as that user (runuser) or give it to "\(account)" (chown).
      """
    case .notAFile(let path):
      """
      \(path) is neither a file nor a folder, and PostgreSQL would wait for it forever: put the \
      file back in its place.
      """
    case .socketDirectoryUnsafe(let path):
      "The socket directory \(path) is not private to the account of PostgreSQL: remove it."
    case .initializationFailed(let reason, let log):
      "initdb failed (\(reason)): see \(log)."
    case .startFailed(let reason, let log):
      "PostgreSQL did not start (\(reason)): see \(log)."
    case .diskFull(let reason, let log):
      "PostgreSQL did not start, as its disk is full (\(reason)): make room; see \(log)."
    case .orphanRunning(let processes):
      """
      PostgreSQL processes of an earlier run do not end: stop them with \
      kill -QUIT \(processes.map(String.init).joined(separator: " ")).
      """
    case .databaseNotCreated(let reason):
      "The database could not be created in the private PostgreSQL (\(reason))."
    case .system(let action, let reason):
      "Could not \(action): \(reason)."
    }
  }
}
