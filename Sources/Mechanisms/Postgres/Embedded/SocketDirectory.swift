internal import Glibc

/// Where the server's socket lies.
enum SocketDirectory {
  /// PostgreSQL names the socket after its port number.
  static let socketName = ".s.PGSQL.5432"
  /// `sockaddr_un.sun_path` holds 108 bytes with the zero at its end (unix(7)).
  static let maximumPathBytes = 107

  /// The data directory itself, or one in `/tmp` named after it when the socket's path would be too
  /// long, or holds a comma, at which libpq would split it into two hosts.
  static func path(for dataDirectory: String) -> String {
    let bytes = dataDirectory.utf8.count + 1 + socketName.utf8.count
    if bytes <= maximumPathBytes && !dataDirectory.contains(",") { return dataDirectory }
    // FNV-1a: Swift's own hash differs from run to run, and an orphan's socket must be found.
    let hash = dataDirectory.utf8.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { hash, byte in
      (hash ^ UInt64(byte)) &* 0x100_0000_01B3
    }
    return "/tmp/postilion-\(String(hash, radix: 16))"
  }

  /// Creates the directory for the owner of the data directory alone. Anyone may write in `/tmp`,
  /// so a directory that is there must be that owner's and closed to others: the owner of the
  /// directory owns the socket.
  static func create(_ path: String, for owner: uid_t) throws(EmbeddedPostgresError) {
    mkdir(path, 0o700)
    var status = stat()
    guard lstat(path, &status) == 0 else { throw .failed("create \(path)") }
    let isPrivate =
      status.st_mode & S_IFMT == S_IFDIR && status.st_uid == owner && status.st_mode & 0o077 == 0
    guard isPrivate else { throw .socketDirectoryUnsafe(path: path) }
  }
}
