internal import Foundation

/// How much memory this process may use, together with the processes that it starts.
enum MemoryLimit {
  /// The memory of the machine, or less where a control group of the process has a limit
  /// (`memory.max` of cgroup v2, `memory.limit_in_bytes` of v1; kernel.org, "Control Group v2").
  ///
  /// - Parameters:
  ///   - machine: the memory of the machine, in bytes.
  ///   - contents: the contents of a file; `nil` when it cannot be read.
  static func bytes(
    machine: UInt64 = ProcessInfo.processInfo.physicalMemory,
    contents: (String) -> String? = { try? String(contentsOfFile: $0, encoding: .utf8) }
  ) -> UInt64 {
    var limit = machine
    for file in (contents("/proc/self/cgroup") ?? "").split(separator: "\n").flatMap(limitFiles) {
      let text = contents(file)?.trimmingCharacters(in: .whitespacesAndNewlines)
      // Without a limit v2 says "max", and v1 a number above any memory.
      if let bytes = text.flatMap(UInt64.init) { limit = min(limit, bytes) }
    }
    return limit
  }

  /// The files with the limits of a control group and of those around it, from a line of
  /// `/proc/self/cgroup` such as `0::/system.slice/postilion.service`.
  private static func limitFiles(_ line: Substring) -> [String] {
    let parts = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
    guard parts.count == 3 else { return [] }
    let controllers = parts[1].split(separator: ",")
    let (directory, name): (String, String)
    if controllers.isEmpty {
      (directory, name) = ("/sys/fs/cgroup", "memory.max")
    } else if controllers.contains("memory") {
      (directory, name) = ("/sys/fs/cgroup/memory", "memory.limit_in_bytes")
    } else {
      return []
    }
    let groups = parts[2].split(separator: "/")
    return (0...groups.count).map { depth in
      ([directory] + groups.prefix(depth).map(String.init) + [name]).joined(separator: "/")
    }
  }
}
