internal import FoundationEssentials
internal import Glibc

extension MetricsRegistry {
  /// Declares what Prometheus clients report of their own process, read from `/proc` (proc(5)) when
  /// the text is made.
  public func declareProcessMetrics() {
    gauge("process_resident_memory_bytes", "Memory that is in RAM, in bytes.") {
      // statm: total and resident size, then others, in pages.
      Self.fields(of: "/proc/self/statm").dropFirst().first.map { $0 * Double(getpagesize()) }
    }
    gauge("process_open_fds", "Open file descriptors.") {
      // The list holds the descriptor that reads it.
      (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count - 1)
        .map(Double.init)
    }
    gauge("process_start_time_seconds", "When the process started, in seconds since 1970.") {
      Self.startTime()
    }
  }

  private static func startTime() -> Double? {
    guard let status = text(of: "/proc/self/stat"), let boot = text(of: "/proc/stat") else {
      return nil
    }
    // Field 22, in clock ticks after the boot; fields count from 1, and the second one, a name in
    // parentheses, may hold spaces.
    let fields = status.split(separator: ")").last?.split(separator: " ") ?? []
    let bootTime = boot.split(separator: "\n").first { $0.hasPrefix("btime ") }
    guard fields.count > 19, let ticks = Double(fields[19]),
      let bootSeconds = bootTime.flatMap({ Double($0.dropFirst(6)) })
    else { return nil }
    return bootSeconds + ticks / Double(sysconf(Int32(_SC_CLK_TCK)))
  }

  private static func fields(of path: String) -> [Double] {
    (text(of: path) ?? "").split { $0 == " " || $0 == "\n" }.compactMap { Double($0) }
  }

  private static func text(of path: String) -> String? {
    try? String(contentsOfFile: path, encoding: .utf8)
  }
}
