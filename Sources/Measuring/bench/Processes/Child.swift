internal import Foundation
internal import Synchronization

/// A program that the bench started. Unlike Foundation's `Process` it reports the processor time it
/// took, and ends with the bench: the kernel sends it SIGTERM when the bench dies.
struct Child: Sendable {
  let process: pid_t
  /// Its standard output and error.
  let output: String

  /// All that run, so that they can be stopped whatever happens.
  private struct Running {
    var processes: [pid_t] = []
    /// The bench ends; nothing is started any more.
    var isStopping = false
  }

  private static let running = Mutex(Running())

  /// Whether the bench is being stopped, so that its figures are none.
  static var isStopping: Bool { running.withLock { $0.isStopping } }

  /// How a program ended.
  struct End: Sendable {
    /// 0 for success, its exit status, or 128 + the signal.
    let status: Int32
    /// Processor time of it and its children, user and system, in seconds.
    let cpuSeconds: Double
  }

  /// Starts a program.
  ///
  /// - Parameters:
  ///   - command: the program, looked up in `PATH`, and its arguments.
  ///   - environment: added to the bench's own.
  ///   - output: the file that its output goes to.
  static func start(
    _ command: [String], environment: [String: String] = [:], output: String
  ) throws(Fault) -> Child {
    let places: [String] = ["/usr/bin/setpriv", "/bin/setpriv"]
    let launcher = places.first { access($0, X_OK) == 0 }
    let guarded: [String] = launcher.map { [$0, "--pdeathsig", "TERM", "--"] } ?? []
    let command = guarded + command
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    posix_spawn_file_actions_addopen(&actions, 1, output, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
    posix_spawn_file_actions_adddup2(&actions, 1, 2)

    // The bench waits for its signals in a thread of its own; children take theirs as usual.
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var none = sigset_t()
    sigemptyset(&none)
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setpgroup(&attributes, 0)
    posix_spawnattr_setflags(
      &attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP))

    let values = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    var arguments = command.map { strdup($0) } + [nil]
    var variables = values.map { strdup("\($0.key)=\($0.value)") } + [nil]
    defer { for pointer in arguments + variables { free(pointer) } }
    var process: pid_t = 0
    let result = running.withLock { running in
      guard !running.isStopping else { return ECANCELED }
      let result = posix_spawnp(
        &process, command[0], &actions, &attributes, &arguments, &variables)
      if result == 0 { running.processes.append(process) }
      return result
    }
    guard result == 0 else {
      throw Fault("cannot start \(command[0]): \(String(cString: strerror(result)))")
    }
    return Child(process: process, output: output)
  }

  /// Whether it has ended, and how.
  private func end() -> End? {
    var status: Int32 = 0
    var usage = rusage()
    let ended = wait4(process, &status, WNOHANG, &usage)
    // Who waited before knows how it ended.
    if ended < 0, errno == ECHILD { return End(status: 0, cpuSeconds: 0) }
    guard ended == process else { return nil }
    Self.running.withLock { $0.processes.removeAll { $0 == process } }
    let signal = status & 0x7F
    return End(
      status: signal == 0 ? (status >> 8) & 0xFF : 128 + signal,
      cpuSeconds: seconds(usage.ru_utime) + seconds(usage.ru_stime))
  }

  /// Waits for its end; one that takes longer is killed.
  func wait(seconds: Double) throws(Fault) -> End {
    let deadline = now() + seconds
    while now() < deadline {
      if let end = end() { return end }
      usleep(2_000)
    }
    kill(process, SIGKILL)
    while end() == nil { usleep(2_000) }
    throw Fault("it took longer than \(Int(seconds)) s and was killed")
  }

  /// Asks it to end and waits.
  func stop(signal: Int32 = SIGTERM) {
    kill(process, signal)
    _ = try? wait(seconds: 20)
  }

  /// Waits until it says a line that begins so.
  /// - Returns: The rest of the line.
  func waitFor(line prefix: String, seconds: Double) throws(Fault) -> String {
    let deadline = now() + seconds
    while now() < deadline {
      let text = (try? String(contentsOfFile: output, encoding: .utf8)) ?? ""
      let lines = text.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
      if let line = lines.first(where: { $0.hasPrefix(prefix) }) {
        return String(line.dropFirst(prefix.count))
      }
      if let end = end() { throw Fault("it ended with \(end.status): \(text.suffix(300))") }
      usleep(1_000)
    }
    throw Fault("it did not say “\(prefix)” in \(Int(seconds)) s")
  }

  /// Stops every program that still runs, once and for all.
  /// - Returns: `false` when that has been asked for before.
  static func stopAll() -> Bool {
    let processes = running.withLock { running -> [pid_t]? in
      guard !running.isStopping else { return nil }
      running.isStopping = true
      return running.processes
    }
    guard let processes else { return false }
    for process in processes.reversed() { kill(process, SIGTERM) }
    let deadline = now() + 20
    for process in processes {
      var status: Int32 = 0
      while waitpid(process, &status, WNOHANG) == 0 {
        if now() > deadline { kill(process, SIGKILL) }
        usleep(5_000)
      }
    }
    return true
  }
}

private func seconds(_ time: timeval) -> Double {
  Double(time.tv_sec) + Double(time.tv_usec) / 1e6
}

/// Seconds of a clock that only goes forward.
func now() -> Double {
  var time = timespec()
  clock_gettime(CLOCK_MONOTONIC, &time)
  return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}
