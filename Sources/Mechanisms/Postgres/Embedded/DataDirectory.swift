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
/// All of it belongs to the account of the service, which root became for it (``ServerAccount``).
struct DataDirectory {
  /// Absolute, without symbolic links: the parent of the working directory of a server on it.
  let path: String
  let socketDirectory: String
  /// Closing it lets the lock go; the kernel does so when the service dies.
  private let lock: Int32

  var cluster: String { "\(path)/cluster" }
  var unfinishedCluster: String { "\(path)/cluster.new" }
  var log: String { "\(path)/server.log" }

  /// The major version of the cluster, such as `"15"`; `nil` when there is none.
  var clusterVersion: String? { Self.clusterVersion(in: path) }

  static func clusterVersion(in path: String) -> String? {
    let text = end(of: "\(path)/cluster/PG_VERSION")
    return text?.split(separator: "\n").first.map(String.init)
  }

  /// When the files of the cluster were made, in nanoseconds since 1970: a copy of them has another
  /// time. Empty where the file system does not say.
  var clusterBirth: String {
    let birth = postilion_birth("\(cluster)/PG_VERSION")
    return birth == 0 ? "" : String(birth)
  }

  /// What the server says of itself in its `postmaster.pid`.
  var postmasterFile: PostmasterFile? {
    Self.end(of: "\(cluster)/postmaster.pid").flatMap(PostmasterFile.init)
  }

  /// The last line of the log that says why a server ended, without time and process id.
  var lastComplaint: String {
    let lines = (Self.end(of: log) ?? "").split(separator: "\n")
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
    [cluster, "\(cluster)/pg_wal"].contains { folder in
      var status = statvfs()
      guard statvfs(folder, &status) == 0 else { return false }
      return UInt64(status.f_bavail) * UInt64(status.f_frsize) < Limits.startRoomBytes
    }
  }

  /// Creates what is missing of the directory and locks it.
  static func open(_ given: String) throws(EmbeddedPostgresError) -> Self {
    var made = given.hasPrefix("/") ? "" : "."
    for name in given.split(separator: "/") {
      made += "/\(name)"
      guard access(made, F_OK) == 0 || mkdir(made, 0o755) == 0 || errno == EEXIST else {
        throw .failed("create \(made)")
      }
    }
    guard let resolved = realpath(given, nil) else { throw .failed("open \(given)") }
    defer { free(resolved) }
    let path = String(cString: resolved)
    let owner = try takePossession(of: path)
    let socketDirectory = SocketDirectory.path(for: path)
    if socketDirectory != path { try SocketDirectory.create(socketDirectory, for: owner) }
    let lock = Glibc.open(
      "\(path)/lock", O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0o600)
    guard lock >= 0 else { throw .failed("open \(path)/lock") }
    guard flock(lock, LOCK_EX | LOCK_NB) == 0 else {
      close(lock)
      throw .dataDirectoryInUse(path: path)
    }
    return Self(path: path, socketDirectory: socketDirectory, lock: lock)
  }

  /// Lets another service have the directory.
  func unlock() {
    // A child process between fork and exec has the descriptor, too, and the lock would stay.
    flock(lock, LOCK_UN)
    close(lock)
  }

  /// Opens the log for what a program writes; the caller closes it.
  ///
  /// One old log stays beside the new one, so that the two stay under about 20 MB over restarts.
  func openLog() throws(EmbeddedPostgresError) -> Int32 {
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
      rename(log, log + ".1")
      descriptor = Glibc.open(log, flags, 0o600)
    }
    guard descriptor >= 0 else { throw .failed("open \(log)") }
    return descriptor
  }

  /// Refuses a cluster with something in it that is neither a file nor a folder: a server that
  /// opens a pipe waits until somebody writes into it, and hears no signal meanwhile. Links lead to
  /// files, such as settings in `/etc`; the only folder that is often elsewhere is that of the log.
  func requireFiles() throws(EmbeddedPostgresError) {
    if let found = Self.other(in: cluster) ?? Self.other(in: "\(cluster)/pg_wal") {
      throw .notAFile(path: found)
    }
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

  /// Removes the unfinished cluster of a start that broke off.
  func removeUnfinishedCluster() {
    try? FileManager.default.removeItem(atPath: unfinishedCluster)
  }

  /// Gives the finished cluster its name, and makes sure that the name is on disk: a cluster of
  /// that name is whole, also after a power cut.
  func finishCluster() throws(EmbeddedPostgresError) {
    // Fails when something is there whose version could not be read: never delete a cluster.
    guard rename(unfinishedCluster, cluster) == 0 else {
      throw .failed("rename \(unfinishedCluster)")
    }
    let parent = Glibc.open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    fsync(parent)
    close(parent)
  }

  /// Removes the files of a killed server that would keep the next one from starting: the socket,
  /// its lock file, and a `postmaster.pid` whose process id now belongs to another program. Call it
  /// only when no server runs on the cluster.
  func removeStaleFiles() {
    var stale = ["", ".lock"].map { "\(socketDirectory)/\(SocketDirectory.socketName)\($0)" }
    if let process = postmasterFile?.process, ClusterProcesses.isOther(process, than: cluster) {
      stale.append("\(cluster)/postmaster.pid")
    }
    for file in stale { unlink(file) }
  }

  /// Removes everything, and the directory itself from the folder that leads to it.
  func removeAll() {
    try? FileManager.default.removeItem(atPath: path)
    if socketDirectory != path { try? FileManager.default.removeItem(atPath: socketDirectory) }
  }

  /// The end of a file; `nil` when there is none. A pipe may be in its place.
  private static func end(of file: String) -> String? {
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

  /// Makes the directory private.
  /// - Returns: Whose it is.
  private static func takePossession(of path: String) throws(EmbeddedPostgresError) -> uid_t {
    let directory = Glibc.open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    defer { close(directory) }
    var status = stat()
    guard stat(path, &status) == 0 else { throw .failed("open \(path)") }
    if directory >= 0 { try requireOurs(directory, path: path) }
    // Only the owner of a directory may do this.
    guard directory >= 0, fchmod(directory, 0o700) == 0 else {
      guard [EACCES, EPERM].contains(errno) else { throw .failed("open \(path)") }
      throw .dataDirectoryOfOthers(path: path, owner: status.st_uid, account: "\(geteuid())")
    }
    return status.st_uid
  }

  /// Refuses an open directory that has something of others in it.
  /// - Parameter isNew: It was made just now, so it has nothing in it.
  static func requireOurs(
    _ directory: Int32, path: String, isNew: Bool = false
  ) throws(EmbeddedPostgresError) {
    let present = Set(entries(of: directory))
    let isOurs = present.contains("lock") && !present.isDisjoint(with: ourNames)
    guard present.isEmpty || (!isNew && (isOurs || present == ["lock"])) else {
      throw .dataDirectoryForeign(path: path)
    }
  }

  /// The names that a start makes after the lock: `/var` has a `lock`, too.
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
}

extension EmbeddedPostgresError {
  /// The last system call failed; its reason is in `errno`.
  static func failed(_ action: String) -> Self {
    .system(action: action, reason: String(cString: strerror(errno)))
  }
}
