internal import Foundation

/// What `/proc` says about processes (proc(5)).
enum ProcessFigures {
  /// Processor time of a process so far, user and system, in seconds.
  static func cpuSeconds(_ process: pid_t) -> Double {
    guard let fields = fields(process) else { return 0 }
    return ticks(fields, 11...12)
  }

  /// Processor time so far of a process, of the children it has now and of those it had.
  static func cpuSecondsWithChildren(_ process: pid_t) -> Double {
    guard let fields = fields(process) else { return 0 }
    let children = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
    let running = children.compactMap { pid_t($0) }.compactMap(Self.fields)
      .filter { $0[1] == String(process) }
      .map { ticks($0, 11...12) }
    return ticks(fields, 11...14) + running.reduce(0, +)
  }

  /// The processes that a process has started, as far as they run.
  static func children(_ process: pid_t) -> [pid_t] {
    let text = (try? contents("/proc/\(process)/task/\(process)/children")) ?? ""
    return text.split(separator: " ").compactMap { pid_t($0) }
  }

  /// Processor time of the whole machine so far that was not idle, in seconds.
  static func busySeconds() -> Double {
    let text = (try? String(contentsOfFile: "/proc/stat", encoding: .utf8)) ?? ""
    let fields = text.prefix { $0 != "\n" }.split(separator: " ").map(String.init)
    // cpu user nice system idle iowait irq softirq steal
    guard fields.count > 8 else { return 0 }
    return ticks(fields, 1...3) + ticks(fields, 6...8)
  }

  /// Resident memory in MiB.
  static func residentMebibytes(_ process: pid_t) throws(Fault) -> Double {
    try mebibytes("VmRSS", process)
  }

  /// Lets `peakMebibytes` begin with the memory that is resident now (proc(5), `clear_refs`).
  static func forgetPeak(_ process: pid_t) throws(Fault) {
    guard let file = fopen("/proc/\(process)/clear_refs", "w") else {
      throw Fault("cannot open /proc/\(process)/clear_refs")
    }
    defer { fclose(file) }
    guard fputs("5", file) >= 0, fflush(file) == 0 else {
      throw Fault("cannot write to /proc/\(process)/clear_refs")
    }
  }

  /// The most resident memory since the start or `forgetPeak`, in MiB.
  static func peakMebibytes(_ process: pid_t) throws(Fault) -> Double {
    try mebibytes("VmHWM", process)
  }

  private static func mebibytes(_ name: String, _ process: pid_t) throws(Fault) -> Double {
    let text = (try? String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)) ?? ""
    let line = text.split(separator: "\n").first { $0.hasPrefix("\(name):") }
    guard let kibibytes = line?.split(separator: " ").dropFirst().first.flatMap({ Double($0) })
    else { throw Fault("/proc/\(process)/status has no \(name)") }
    return kibibytes / 1024
  }

  /// The fields of `stat` from the third on: the second is a name that may hold spaces.
  private static func fields(_ process: pid_t) -> [String]? {
    guard let text = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8),
      let end = text.lastIndex(of: ")")
    else { return nil }
    let fields = text[text.index(after: end)...].split(separator: " ").map(String.init)
    return fields.count > 14 ? fields : nil
  }

  private static func ticks(_ fields: [String], _ range: ClosedRange<Int>) -> Double {
    fields[range].compactMap { Double($0) }.reduce(0, +) / Double(sysconf(Int32(_SC_CLK_TCK)))
  }
}
