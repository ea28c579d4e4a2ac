internal import Glibc

/// Who takes a load.
struct Target: Sendable {
  let url: String
  let process: pid_t
  /// Whether its work is done by processes that it started.
  var hasWorkers = false
}
