internal import EventLoop
internal import Foundation
internal import Glibc
internal import Synchronization

/// A server process, and the thread that starts it, waits for its end and starts it again.
///
/// That thread lives as long as there is a server: the kernel's signal at the starter's death
/// (`prctl(2)`, PR_SET_PDEATHSIG) is bound to the thread, not to the process, and the thread that
/// asked for the start may be one of a pool that shrinks. It waits in `waitid(2)`, so an end is
/// noticed at once. ``PostmasterState`` decides what follows an end.
final class Postmaster: Sendable {
  private struct Server {
    var state = PostmasterState()
    /// The process while it lives. Its id is ours until it is reaped, and both change together, so
    /// a signal never meets another process.
    var process: pid_t?
    /// Why the last process ended.
    var failure: EmbeddedPostgresError?
  }

  private let command: [String]
  private let environment: [String]
  private let directory: DataDirectory
  private let observe: @Sendable (EmbeddedPostgresEvent) -> Void
  private let server = Mutex(Server())

  /// Nothing runs yet.
  init(
    _ command: [String], environment: [String], directory: DataDirectory,
    observe: @escaping @Sendable (EmbeddedPostgresEvent) -> Void = { _ in }
  ) {
    self.command = command
    self.environment = environment
    self.directory = directory
    self.observe = observe
  }

  /// Starts the server and waits until it accepts connections; recovery after a crash is part of
  /// it. To be called once.
  ///
  /// - Throws: when it ends before that, or is not ready in time.
  func start() throws(EmbeddedPostgresError) {
    Thread { [self] in keep() }.start()
    while true {
      let (phase, failure) = server.withLock { ($0.state.phase, $0.failure) }
      switch phase {
      // One that is to end is waited for: the last signal may be yet to come.
      case .starting, .stopping: usleep(2_000)
      case .running, .recovering: return
      case .over:
        throw failure ?? .startFailed(reason: "it was stopped", log: directory.log)
      }
    }
  }

  /// From now on the server is not started again: its end is wanted, and others may bring it about.
  func letEnd() {
    server.withLock { $0.state.stop() }
  }

  /// Asks for a fast shutdown (SIGINT: roll back, write everything, end) and waits for the end;
  /// after a minute without one, for an immediate one, from which the next start recovers.
  func stop() {
    end(by: [(SIGINT, 60_000), (SIGQUIT, 10_000), (SIGKILL, 10_000)])
  }

  /// Asks for a fast shutdown, and ends the server at once when that takes too long; the next start
  /// recovers.
  func abandon() {
    end(by: [(SIGINT, Limits.abandonMilliseconds), (SIGKILL, Limits.abandonMilliseconds)])
  }

  /// Sends one signal after the other, until the server has ended.
  /// - Parameter signals: Each with the milliseconds that the server has then, by the clock: on a
  ///   busy machine a pause takes longer than it was asked for.
  private func end(by signals: [(signal: Int32, milliseconds: UInt64)]) {
    letEnd()
    for (signal, milliseconds) in signals {
      send(signal)
      let end = Monotonic.now() + milliseconds * 1_000_000
      while Monotonic.now() < end {
        if server.withLock({ $0.state.phase }) == .over { return }
        usleep(2_000)
      }
    }
  }

  private func send(_ signal: Int32) {
    server.withLock { server in
      if let process = server.process { kill(process, signal) }
    }
  }

  // MARK: The thread

  /// Runs one server after the other until none is to come.
  private func keep() {
    var downSince: UInt64?
    while true {
      let failure = run { [observe] in
        guard let since = downSince else { return }
        observe(.restarted(milliseconds: Int((Monotonic.now() - since) / 1_000_000)))
      }
      let action = server.withLock { server in
        server.failure = failure
        return server.state.ended(failure.ending)
      }
      switch action {
      case .rest: return
      case .recover:
        downSince = Monotonic.now()
        observe(.ended(reason: failure.reason))
      case .wait(let milliseconds): pause(milliseconds)
      case .retry(let failures, let milliseconds):
        observe(.startFailed(failure, failures: failures))
        pause(milliseconds)
      case .giveUp:
        return observe(.gaveUp(failure))
      }
    }
  }

  /// Waits until the next start, or until none is to come.
  private func pause(_ milliseconds: Int) {
    let end = Monotonic.now() + UInt64(milliseconds) * 1_000_000
    while Monotonic.now() < end, server.withLock({ $0.state.mayLaunch }) { usleep(10_000) }
  }

  /// Runs a server from its start to its end.
  /// - Returns: Why it ended.
  private func run(onReady: () -> Void) -> EmbeddedPostgresError {
    ClusterProcesses.end(on: directory.cluster)
    do throws(EmbeddedPostgresError) {
      try directory.requireFiles()
      directory.removeStaleFiles()
      guard let process = try launch() else { return failed("it was stopped") }
      let isLate = !waitUntilReady(process, onReady)
      if isLate { kill(process, SIGKILL) }
      var information = siginfo_t()
      while waitid(P_PID, id_t(process), &information, WEXITED | WNOWAIT) != 0, errno == EINTR {}
      let status = server.withLock { server in
        server.process = nil
        return ChildProcess.wait(for: process)
      }
      if isLate { return failed("not ready after \(Limits.startSeconds) seconds") }
      return failed(status > 128 ? "ended by signal \(status - 128)" : directory.lastComplaint)
    } catch {
      return error
    }
  }

  /// On a full disk the log may not have the reason.
  private func failed(_ reason: String) -> EmbeddedPostgresError {
    let isDiskFull = EmbeddedPostgresError.saysDiskFull(reason) || directory.isDiskFull
    return isDiskFull
      ? .diskFull(reason: reason, log: directory.log)
      : .startFailed(reason: reason, log: directory.log)
  }

  private func launch() throws(EmbeddedPostgresError) -> pid_t? {
    try server.withLock { (server) throws(EmbeddedPostgresError) in
      guard server.state.mayLaunch else { return nil }
      let log = try directory.openLog()
      defer { close(log) }
      server.process = try ChildProcess.spawn(command, environment: environment, output: log)
      return server.process
    }
  }

  /// Waits until the server accepts connections, or ends.
  /// - Returns: `false` when it does neither in time.
  private func waitUntilReady(_ process: pid_t, _ onReady: () -> Void) -> Bool {
    for _ in 0..<(Limits.startSeconds * 500) {
      var information = siginfo_t()
      waitid(P_PID, id_t(process), &information, WEXITED | WNOWAIT | WNOHANG)
      if information.si_signo == SIGCHLD { return true }
      if let file = directory.postmasterFile, file.process == process, file.isReady {
        server.withLock { $0.state.ready() }
        onReady()
        return true
      }
      usleep(2_000)
    }
    return false
  }
}

extension EmbeddedPostgresError {
  /// What this means for the next start. Children of a server that was killed still hold its shared
  /// memory.
  fileprivate var ending: PostmasterState.Ending {
    switch self {
    case .diskFull: .diskFull
    case _ where reason.contains("pre-existing shared memory block"): .memoryHeld
    case .system(_, let reason) where Self.saysDiskFull(reason): .diskFull
    default: .other
    }
  }

  /// Why a server ended, without the advice.
  fileprivate var reason: String {
    switch self {
    case .startFailed(let reason, _), .diskFull(let reason, _): reason
    default: description
    }
  }

  /// Whether a reason ends with the words of the C library for ENOSPC or EDQUOT.
  fileprivate static func saysDiskFull(_ reason: String) -> Bool {
    [ENOSPC, EDQUOT].contains { reason.contains(String(cString: strerror($0))) }
  }
}
