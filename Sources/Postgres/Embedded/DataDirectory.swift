internal import FoundationEssentials
internal import Glibc

/// The directory of a private PostgreSQL, prepared and locked for one service:
///
/// ```
/// lock                 flock(2) by the service that uses it
/// server.log           output of initdb and the server
/// cluster/             PostgreSQL's own data directory
/// .s.PGSQL.5432        the socket, unless its path is too long
/// ```
struct DataDirectory {
  /// Absolute, without symbolic links: what a server on it has as working directory's parent.
  let path: String
  let socketDirectory: String
  /// Closing it lets the lock go; the kernel does so when the service dies.
  private let lock: Int32

  var cluster: String { "\(path)/cluster" }
  var log: String { "\(path)/server.log" }

  /// The major version of the cluster, such as `"15"`; `nil` when there is none.
  var clusterVersion: String? {
    (try? String(contentsOfFile: "\(cluster)/PG_VERSION", encoding: .utf8))?
      .split(separator: "\n").first.map(String.init)
  }

  /// Where a cluster goes when the asked-for directory is closed to the server's account.
  private static let publicParent = "/var/lib/postilion"

  /// Creates what is missing of the directory and locks it.
  ///
  /// Below a directory that the account may not pass, such as root's own home, a new data
  /// directory becomes a symbolic link to a fresh one in `/var/lib/postilion`. One with a cluster
  /// in it stays where it is, and the error names the directory in the way.
  static func open(
    _ given: String, account: ServerAccount
  ) throws(EmbeddedPostgresError) -> Self {
    try createDirectories(given)
    var path = try resolve(given)
    if let obstacle = account.firstUnreachableDirectory(above: path) {
      guard entries(of: path).isEmpty, rmdir(path) == 0 else {
        throw .unreachable(directory: obstacle, account: account.otherName ?? "")
      }
      path = try createPublicDirectory(linkedFrom: path)
    }
    let present = entries(of: path)
    guard present.isEmpty || present.contains("lock") else {
      throw .dataDirectoryForeign(path: path)
    }
    let lock = Glibc.open("\(path)/lock", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard lock >= 0 else { throw .failed("open \(path)/lock") }
    do throws(EmbeddedPostgresError) {
      guard flock(lock, LOCK_EX | LOCK_NB) == 0 else { throw .dataDirectoryInUse(path: path) }
      try makePrivate(path, to: account)
      let socketDirectory = SocketDirectory.path(for: path)
      if socketDirectory != path { try SocketDirectory.create(socketDirectory, for: account) }
      return Self(path: path, socketDirectory: socketDirectory, lock: lock)
    } catch {
      close(lock)
      throw error
    }
  }

  /// Lets another service have the directory.
  func unlock() {
    close(lock)
  }

  /// Removes what a killed server leaves and would keep the next one from starting: the socket, its
  /// lock file, and a `postmaster.pid` whose process id now belongs to another program. Call it
  /// only when no server runs on the cluster.
  func removeStaleFiles() {
    unlink("\(socketDirectory)/\(SocketDirectory.socketName)")
    unlink("\(socketDirectory)/\(SocketDirectory.socketName).lock")
    guard let process = PostmasterFile(cluster: cluster)?.process,
      ClusterProcesses.isOther(process, than: cluster)
    else { return }
    unlink("\(cluster)/postmaster.pid")
  }

  /// Keeps one old log beside the new one, so that the two stay under about 20 MB over restarts.
  func rotateLog() {
    let attributes = try? FileManager.default.attributesOfItem(atPath: log)
    let bytes = attributes?[.size] as? Int ?? 0
    if bytes > 10_000_000 { rename(log, log + ".1") }
  }

  private static func createDirectories(_ path: String) throws(EmbeddedPostgresError) {
    if access(path, F_OK) == 0 { return }
    if let slash = path.lastIndex(of: "/"), slash != path.startIndex {
      try createDirectories(String(path[..<slash]))
    }
    guard mkdir(path, 0o755) == 0 || errno == EEXIST else { throw .failed("create \(path)") }
  }

  private static func resolve(_ path: String) throws(EmbeddedPostgresError) -> String {
    guard let resolved = realpath(path, nil) else { throw .failed("open \(path)") }
    defer { free(resolved) }
    return String(cString: resolved)
  }

  private static func entries(of path: String) -> [String] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
    // A volume's mount point is not empty.
    return names.filter { $0 != "lost+found" }
  }

  private static func makePrivate(
    _ path: String, to account: ServerAccount
  ) throws(EmbeddedPostgresError) {
    guard chmod(path, 0o700) == 0 else { throw .failed("make \(path) private") }
    guard account.otherName == nil || chown(path, account.userID, account.groupID) == 0 else {
      throw .failed("give \(path) to \(account.otherName ?? "")")
    }
  }

  private static func createPublicDirectory(
    linkedFrom path: String
  ) throws(EmbeddedPostgresError) -> String {
    try createDirectories(publicParent)
    guard chmod(publicParent, 0o755) == 0 else { throw .failed("open \(publicParent)") }
    var template = Array("\(publicParent)/data-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw .failed("create \(publicParent)/data-…") }
    let created = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    guard symlink(created, path) == 0 else { throw .failed("link \(path) to \(created)") }
    return created
  }
}

extension EmbeddedPostgresError {
  /// The last system call failed; its reason is in `errno`.
  static func failed(_ action: String) -> Self {
    .system(action: action, reason: String(cString: strerror(errno)))
  }
}
