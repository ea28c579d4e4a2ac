internal import Foundation
internal import Glibc
internal import Synchronization

/// A running server process and the thread that started it.
///
/// That thread lives as long as the server and waits for its end: the kernel's signal at the
/// starter's death (`prctl(2)`, PR_SET_PDEATHSIG) is bound to the thread, not to the process, and
/// the thread that asked for the start may be one of a pool that shrinks.
final class Postmaster: Sendable {
  private enum State {
    /// The thread has not started the program yet. Next: `running` or `refused`.
    case starting
    /// The process lives. Next: `ended`.
    case running(pid_t)
    /// The program could not be started. Final.
    case refused(EmbeddedPostgresError)
    /// The process has ended and is reaped. Final.
    case ended
  }

  private let state = Mutex(State.starting)

  /// Starts the command in a thread of its own.
  init(_ command: [String], environment: [String], log: String) {
    let thread = Thread { [self] in
      do throws(EmbeddedPostgresError) {
        let process = try ChildProcess.spawn(command, environment: environment, log: log)
        state.withLock { $0 = .running(process) }
        // Its id stays ours until it is reaped, so a signal never meets another process: see stop.
        var information = siginfo_t()
        while waitid(P_PID, id_t(process), &information, WEXITED | WNOWAIT) != 0, errno == EINTR {}
        state.withLock { state in
          _ = ChildProcess.wait(for: process)
          state = .ended
        }
      } catch {
        state.withLock { $0 = .refused(error) }
      }
    }
    thread.start()
  }

  /// Waits until the server accepts connections; recovery after a crash is part of it.
  ///
  /// - Throws: when it ends before that, or is not ready in time: then it is stopped.
  func waitUntilReady(
    cluster: String, log: String, seconds: Int
  ) throws(EmbeddedPostgresError) {
    for _ in 0..<(seconds * 500) {
      switch state.withLock({ $0 }) {
      case .starting: break
      case .refused(let error): throw error
      case .ended: throw .startFailed(reason: lastComplaint(in: log), log: log)
      case .running(let process):
        if let file = PostmasterFile(cluster: cluster), file.process == process, file.isReady {
          return
        }
      }
      usleep(2_000)
    }
    stop()
    throw .startFailed(reason: "not ready after \(seconds) seconds", log: log)
  }

  /// Asks for a fast shutdown (SIGINT: roll back, write everything, end) and waits for the end;
  /// after a minute without one, for an immediate one, from which the next start recovers.
  func stop() {
    for (stopSignal, seconds) in [(SIGINT, 60), (SIGQUIT, 10), (SIGKILL, 10)] {
      send(stopSignal)
      for _ in 0..<(seconds * 500) {
        switch state.withLock({ $0 }) {
        case .ended, .refused: return
        case .starting: send(stopSignal)
        case .running: break
        }
        usleep(2_000)
      }
    }
  }

  private func send(_ signal: Int32) {
    state.withLock { state in
      if case .running(let process) = state { kill(process, signal) }
    }
  }
}

/// The last line of a server's log that says why it ended, without time and process id.
func lastComplaint(in log: String) -> String {
  let text = (try? String(contentsOfFile: log, encoding: .utf8)) ?? ""
  let lines = text.suffix(4_096).split(separator: "\n")
  for mark in ["FATAL:  ", "PANIC:  ", "error: "] {
    if let line = lines.last(where: { $0.contains(mark) }), let range = line.range(of: mark) {
      return String(line[range.upperBound...])
    }
  }
  return lines.last.map(String.init) ?? "no output"
}
