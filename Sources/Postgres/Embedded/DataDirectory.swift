internal import CLinux
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
///
/// All of it belongs to the server's account, which may put anything into the place of anything
/// else. So whatever the service does in it, it does with the rights of that account
/// (``FileRights``), and it follows no link.
struct DataDirectory {
  /// Absolute, without symbolic links: what a server on it has as working directory's parent.
  let path: String
  let socketDirectory: String
  private let rights: FileRights
  /// Closing it lets the lock go; the kernel does so when the service dies.
  private let lock: Int32

  var cluster: String { "\(path)/cluster" }
  var unfinishedCluster: String { "\(path)/cluster.new" }
  var log: String { "\(path)/server.log" }

  /// The major version of the cluster, such as `"15"`; `nil` when there is none.
  var clusterVersion: String? { Self.clusterVersion(in: path, rights) }

  static func clusterVersion(in path: String, _ rights: FileRights) -> String? {
    let text = end(of: "\(path)/cluster/PG_VERSION", rights)
    return text?.split(separator: "\n").first.map(String.init)
  }

  /// When the files of the cluster were made, in nanoseconds since 1970: a copy of them has another
  /// time. Empty where the file system does not say.
  var clusterBirth: String {
    let birth = try? rights.hold { () throws(EmbeddedPostgresError) -> Int64 in
      postilion_birth("\(cluster)/PG_VERSION")
    }
    return birth.map { $0 == 0 ? "" : String($0) } ?? ""
  }

  /// What the server says of itself in its `postmaster.pid`.
  var postmasterFile: PostmasterFile? {
    Self.end(of: "\(cluster)/postmaster.pid", rights).flatMap(PostmasterFile.init)
  }

  /// The last line of the log that says why a server ended, without time and process id.
  var lastComplaint: String {
    let lines = (Self.end(of: log, rights) ?? "").split(separator: "\n")
    for mark in ["FATAL:  ", "PANIC:  ", "error: "] {
      if let line = lines.last(where: { $0.contains(mark) }), let range = line.firstRange(of: mark)
      {
        return String(line[range.upperBound...])
      }
    }
    return lines.last.map(String.init) ?? "no output"
  }

  /// Whether the disk of the cluster, or that of its log, lacks the room that a start needs.
  var isDiskFull: Bool {
    (try? rights.hold { () throws(EmbeddedPostgresError) in
      [cluster, "\(cluster)/pg_wal"].contains { folder in
        var status = statvfs()
        guard statvfs(folder, &status) == 0 else { return false }
        return UInt64(status.f_bavail) * UInt64(status.f_frsize) < Limits.startRoomBytes
      }
    }) ?? false
  }

  /// Where a cluster goes when the asked-for directory is closed to the server's account.
  private static let publicParent = "/var/lib/postilion-root"

  /// Creates what is missing of the directory and locks it.
  ///
  /// Below a directory that the account may not pass, such as root's own home, a new data
  /// directory becomes a symbolic link to a fresh one in `/var/lib/postilion-root`. One with a
  /// cluster in it stays where it is, and the error names the directory in the way.
  static func open(
    _ given: String, account: ServerAccount
  ) throws(EmbeddedPostgresError) -> Self {
    var found = try DirectoryPath(making: given, account: account)
    if let obstacle = account.firstUnreachableDirectory(above: found.text) {
      guard found.rights == .own, rmdir(found.text) == 0 else {
        throw .unreachable(directory: obstacle, account: account.otherName ?? "")
      }
      let created = try createPublicDirectory(linkedFrom: found.text, account: account)
      found = try DirectoryPath(making: created, account: account)
    }
    let path = found.text
    try takePossession(of: found, account)
    let socketDirectory = SocketDirectory.path(for: path)
    if socketDirectory != path { try SocketDirectory.create(socketDirectory, for: account) }
    let lock = try openLock("\(path)/lock", account.rights)
    guard flock(lock, LOCK_EX | LOCK_NB) == 0 else {
      close(lock)
      throw .dataDirectoryInUse(path: path)
    }
    return Self(path: path, socketDirectory: socketDirectory, rights: account.rights, lock: lock)
  }

  /// Lets another service have the directory.
  func unlock() {
    close(lock)
  }

  /// Opens the log for what a program writes; the caller closes it.
  ///
  /// One old log stays beside the new one, so that the two stay under about 20 MB over restarts.
  /// One that root made, as earlier releases did, goes the same way.
  func openLog() throws(EmbeddedPostgresError) -> Int32 {
    try rights.hold { () throws(EmbeddedPostgresError) in
      // A pipe without a reader is an error and holds nobody up.
      let flags = O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC
      var descriptor = Glibc.open(log, flags, 0o600)
      var status = stat()
      if descriptor >= 0, fstat(descriptor, &status) == 0, !Self.isFile(status) {
        close(descriptor)
        throw .notAFile(path: log)
      }
      if descriptor >= 0, status.st_size > 10_000_000 {
        close(descriptor)
        descriptor = -1
        errno = EACCES
      }
      if descriptor < 0, errno == EACCES {
        rename(log, log + ".1")
        descriptor = Glibc.open(log, flags, 0o600)
      }
      guard descriptor >= 0 else { throw .failed("open \(log)") }
      return descriptor
    }
  }

  /// Refuses a cluster with something in it that is neither a file nor a folder: a server that
  /// opens a pipe waits for whoever writes into it, and hears no signal meanwhile. Links lead to
  /// files, such as settings in `/etc`; of folders only that of the log is often elsewhere.
  func requireFiles() throws(EmbeddedPostgresError) {
    let found = try rights.hold { () throws(EmbeddedPostgresError) -> String? in
      Self.other(in: cluster) ?? Self.other(in: "\(cluster)/pg_wal")
    }
    if let found { throw .notAFile(path: found) }
  }

  /// The first entry of a folder, or of one below it, that is neither a file nor a folder.
  private static func other(in folder: String) -> String? {
    for name in (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [] {
      let path = "\(folder)/\(name)"
      var (entry, target) = (stat(), stat())
      guard lstat(path, &entry) == 0, stat(path, &target) == 0 else { continue }
      if entry.st_mode & S_IFMT == S_IFDIR {
        if let found = other(in: path) { return found }
      } else if !isFile(target), target.st_mode & S_IFMT != S_IFDIR {
        return path
      }
    }
    return nil
  }

  private static func isFile(_ status: stat) -> Bool { status.st_mode & S_IFMT == S_IFREG }

  /// Removes what a start that broke off has left of a cluster.
  func removeUnfinishedCluster() throws(EmbeddedPostgresError) {
    try rights.hold { () throws(EmbeddedPostgresError) in
      try? FileManager.default.removeItem(atPath: unfinishedCluster)
    }
  }

  /// Gives the finished cluster its name, and has that on disk: one that is there is whole, also
  /// after a power cut.
  func finishCluster() throws(EmbeddedPostgresError) {
    try rights.hold { () throws(EmbeddedPostgresError) in
      // Fails when something is there whose version could not be read: never delete a cluster.
      guard rename(unfinishedCluster, cluster) == 0 else {
        throw .failed("rename \(unfinishedCluster)")
      }
      let parent = Glibc.open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
      fsync(parent)
      close(parent)
    }
  }

  /// Removes what a killed server leaves and would keep the next one from starting: the socket, its
  /// lock file, and a `postmaster.pid` whose process id now belongs to another program. Call it
  /// only when no server runs on the cluster.
  func removeStaleFiles() throws(EmbeddedPostgresError) {
    var stale = ["", ".lock"].map { "\(socketDirectory)/\(SocketDirectory.socketName)\($0)" }
    if let process = postmasterFile?.process, ClusterProcesses.isOther(process, than: cluster) {
      stale.append("\(cluster)/postmaster.pid")
    }
    try rights.hold { () throws(EmbeddedPostgresError) in
      for file in stale { unlink(file) }
    }
  }

  /// Removes everything, and the directory itself from the folder that leads to it.
  func removeAll() {
    try? rights.hold { () throws(EmbeddedPostgresError) in
      for name in (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? [] {
        try? FileManager.default.removeItem(atPath: "\(path)/\(name)")
      }
      if socketDirectory != path { try? FileManager.default.removeItem(atPath: socketDirectory) }
    }
    rmdir(path)
  }

  /// The end of a file of the account; `nil` when there is none. The account may have made
  /// anything of it, a pipe too.
  private static func end(of file: String, _ rights: FileRights) -> String? {
    try? rights.hold { () throws(EmbeddedPostgresError) -> String? in
      let descriptor = Glibc.open(file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
      guard descriptor >= 0 else { return nil }
      defer { close(descriptor) }
      var status = stat()
      guard fstat(descriptor, &status) == 0, isFile(status) else { return nil }
      var bytes = [UInt8](repeating: 0, count: Limits.readBytes)
      let start = max(0, Int(status.st_size) - bytes.count)
      let count = pread(descriptor, &bytes, bytes.count, start)
      return count < 0 ? nil : String(decoding: bytes.prefix(count), as: UTF8.self)
    }
  }

  /// Makes the directory the account's alone. Root gives away what is its own or was made just now,
  /// and nothing that already has files of others in it.
  private static func takePossession(
    of found: DirectoryPath, _ account: ServerAccount
  ) throws(EmbeddedPostgresError) {
    let owner = found.status.st_uid
    let isAccounts = owner == account.userID
    guard isAccounts || (owner == 0 && found.rights == .own) || found.isNew else {
      throw .dataDirectoryOfOthers(
        path: found.text, owner: owner, account: account.otherName ?? "\(account.userID)")
    }
    let rights = isAccounts ? account.rights : found.rights
    let directory = try found.opened(with: rights)
    defer { close(directory) }
    let present = Set(entries(of: directory))
    let isOurs = present.contains("lock") && !present.isDisjoint(with: ourNames)
    guard present.subtracting(["lock"]).isEmpty || isOurs else {
      throw .dataDirectoryForeign(path: found.text)
    }
    try rights.hold { () throws(EmbeddedPostgresError) in
      guard fchmod(directory, 0o700) == 0 else { throw .failed("make \(found.text) private") }
    }
    guard isAccounts || fchown(directory, account.userID, account.groupID) == 0 else {
      throw .failed("give \(found.text) to \(account.otherName ?? "")")
    }
  }

  /// What a start makes behind the lock: `/var` has a `lock`, too.
  private static let ourNames = ["server.log", "cluster.new", "cluster"]

  /// The names in an open directory.
  private static func entries(of directory: Int32) -> [String] {
    guard let listing = fdopendir(dup(directory)) else { return [] }
    defer { closedir(listing) }
    var names: [String] = []
    while let entry = readdir(listing) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) { name in
        name.withMemoryRebound(to: CChar.self, capacity: Int(NAME_MAX) + 1) {
          String(cString: $0)
        }
      }
      // A volume's mount point is not empty.
      if ![".", "..", "lost+found"].contains(name) { names.append(name) }
    }
    return names
  }

  /// Opens the lock. One that root made, as earlier releases did, is replaced.
  private static func openLock(
    _ lock: String, _ rights: FileRights
  ) throws(EmbeddedPostgresError) -> Int32 {
    try rights.hold { () throws(EmbeddedPostgresError) in
      let flags = O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC
      var descriptor = Glibc.open(lock, flags, 0o600)
      if descriptor < 0, errno == EACCES, unlink(lock) == 0 {
        descriptor = Glibc.open(lock, flags, 0o600)
      }
      guard descriptor >= 0 else { throw .failed("open \(lock)") }
      return descriptor
    }
  }

  private static func createPublicDirectory(
    linkedFrom path: String, account: ServerAccount
  ) throws(EmbeddedPostgresError) -> String {
    let parent = try DirectoryPath(making: publicParent, account: account)
    let owner = parent.status.st_uid
    guard parent.rights == .own, owner == FileRights.own.userID else {
      throw .dataDirectoryOfOthers(
        path: publicParent, owner: owner, account: account.otherName ?? "")
    }
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
