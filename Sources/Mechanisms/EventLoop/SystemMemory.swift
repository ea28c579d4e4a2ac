internal import CLinux
internal import Glibc

/// The process's memory.
public enum SystemMemory {
  /// Gives freed memory back to the system. Otherwise the allocator keeps it: after large uploads,
  /// a gigabyte that nobody needs. Takes milliseconds; not for a loop.
  public static func trim() { postilion_trim_memory() }

  /// Gives back the memory that the start needed of the program and its libraries: half of the
  /// memory of a service that waits. A page that is needed again is mapped again. Call this once,
  /// when the program is up.
  public static func trimProgram() { postilion_trim_program() }

  /// ``trim()`` on a thread of its own; returns at once.
  public static func trimApart() {
    // Without a thread the memory is kept, as it would be.
    _ = tryDetachedThread(trim)
  }
}

/// How many descriptors the process may have open: each connection is one.
public enum DescriptorLimit {
  /// The limit in force (`RLIMIT_NOFILE`).
  public static var current: Int {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return .max }
    return Int(clamping: limit.rlim_cur)
  }

  /// Raises the limit to what the system allows: ten thousand phones are ten thousand descriptors.
  public static func raise() {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return }
    limit.rlim_cur = limit.rlim_max
    setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
  }
}
