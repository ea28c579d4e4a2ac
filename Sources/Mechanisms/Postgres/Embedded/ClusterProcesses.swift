internal import FoundationEssentials
internal import Glibc

/// The processes of a PostgreSQL server on one cluster directory, found through `/proc`: a server
/// and its children run `postgres` with the cluster as working directory.
///
/// The process id in `postmaster.pid` alone proves nothing: after a crash or a restart of the
/// machine it may belong to something else.
enum ClusterProcesses {
  /// The ids of the live processes, in no order.
  static func running(on cluster: String) -> [pid_t] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
    return names.compactMap(pid_t.init).filter { isServer($0, on: cluster) }
  }

  /// Stops the processes that run on the cluster and waits for their end.
  ///
  /// A server whose service was killed is asked for a fast shutdown (SIGINT). Children that outlive
  /// their killed server notice by themselves; after half of the time they get SIGQUIT.
  static func stop(on cluster: String, within seconds: Int) throws(EmbeddedPostgresError) {
    var remaining = running(on: cluster)
    guard !remaining.isEmpty else { return }
    for process in remaining where parent(of: process).map({ !remaining.contains($0) }) ?? true {
      kill(process, SIGINT)
    }
    let pauses = seconds * 100
    for pause in 0..<pauses {
      usleep(10_000)
      remaining = running(on: cluster)
      if remaining.isEmpty { return }
      if pause == pauses / 2 {
        for process in remaining { kill(process, SIGQUIT) }
      }
    }
    throw .orphanRunning(processes: remaining.sorted())
  }

  /// Ends the processes that a dead server has left on the cluster, so that the next server may
  /// start: by SIGQUIT, as the server itself sends in an emergency, and by SIGKILL if they do not
  /// follow it, as stopped processes do not. The processes notice the server's death by themselves,
  /// but a statement may go on.
  static func end(on cluster: String) {
    for signal in [SIGQUIT, SIGKILL] {
      for process in running(on: cluster) { kill(process, signal) }
      for _ in 0..<Limits.orphanPauses {
        if running(on: cluster).isEmpty { return }
        usleep(10_000)
      }
    }
  }

  static func isServer(_ process: pid_t, on cluster: String) -> Bool {
    // The path of a program that was upgraded while it runs ends in " (deleted)".
    target(of: "/proc/\(process)/cwd") == cluster
      && target(of: "/proc/\(process)/exe")?.split(separator: "/").last?.hasPrefix("postgres")
        == true
  }

  /// Whether the process is there and certainly no server of the cluster. Where a process of
  /// another account works cannot be read.
  static func isOther(_ process: pid_t, than cluster: String) -> Bool {
    target(of: "/proc/\(process)/cwd") != nil && !isServer(process, on: cluster)
  }

  private static func parent(of process: pid_t) -> pid_t? {
    guard let status = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)
    else { return nil }
    // "pid (name) state parent …"; the name may hold anything, so read from its last parenthesis.
    let fields = status.split(separator: ")").last?.split(separator: " ")
    return fields.flatMap { $0.count > 1 ? pid_t($0[1]) : nil }
  }

  private static func target(of link: String) -> String? {
    try? FileManager.default.destinationOfSymbolicLink(atPath: link)
  }
}
