/// The settings of a private cluster. They go on the server's command line, where they stand above
/// `postgresql.conf`, so that a newer version of the service brings its own.
enum ClusterSettings {
  /// The number in the name of the socket.
  static let port = "5432"

  /// The settings on which an acknowledged registration rests, and sizes that fit a small machine.
  ///
  /// - Parameters:
  ///   - majorVersion: the cluster's, such as `"15"`.
  ///   - memory: the bytes that service and server may use together.
  static func settings(
    socketDirectory: String, majorVersion: String?, memory: UInt64 = MemoryLimit.bytes(),
    overriddenBy own: [String: String]
  ) -> [String: String] {
    var settings = [
      "cluster_name": "postilion",
      // The socket's directory is open to one account only; there is no other way in.
      "listen_addresses": "",
      "unix_socket_directories": "\"\(socketDirectory.replacing("\"", with: "\"\""))\"",
      "unix_socket_permissions": "0700",
      "port": port,
      // Durable: a commit is on disk before it is acknowledged, also through torn pages.
      "fsync": "on",
      "synchronous_commit": "on",
      "full_page_writes": "on",
      "max_connections": "100",
      "shared_buffers": "\(sharedBufferMegabytes(memory: memory))MB",
      // A start after a crash repeats all writes since the last checkpoint: after 75 seconds of
      // full load that took 2.4 seconds, and 4.0 when there had been no checkpoint in between.
      // Tokens lie scattered over their tables, and after a checkpoint each page is logged in full
      // once. To compress the log saves three quarters of it, but no time in a restart, and lz4 is
      // not in every build of PostgreSQL.
      "checkpoint_timeout": "30s",
      "max_wal_size": "1GB",
      // Statements here take well under a millisecond; compiling one takes several.
      "jit": "off",
      "random_page_cost": "1.1",
      "timezone": "UTC",
      "log_timezone": "UTC",
      "log_checkpoints": "off",
      // An error's detail quotes the row, and tokens are not logged.
      "log_error_verbosity": "terse",
      // Calls that are refused are no news, and their statements would fill the log.
      "log_min_error_statement": "panic",
      "logging_collector": "off",
    ]
    // Files that a crashed server wrote must be on disk before recovery begins: one call for the
    // whole file system instead of one for each of 1,400 files, 0.2 instead of 3 seconds on a busy
    // disk.
    if let major = majorVersion.flatMap({ Int($0) }), major >= 14 {
      settings["recovery_init_sync_method"] = "syncfs"
    }
    return settings.merging(own) { $1 }
  }

  /// An eighth of the memory, from 128 MB to 1 GB, which holds a million installations. An
  /// installation that is looked up and not there is copied from the system's cache, which takes as
  /// long as to find it. Memory is taken as rows are read.
  static func sharedBufferMegabytes(memory: UInt64) -> UInt64 {
    min(max(memory / (8 << 20), 128), 1024)
  }

  /// The settings as `-c name=value` arguments.
  static func arguments(for settings: [String: String]) -> [String] {
    settings.sorted { $0.key < $1.key }.flatMap { ["-c", "\($0.key)=\($0.value)"] }
  }
}
