internal import EventLoop
internal import Glibc

let signals = TerminationSignals()
Task.detached {
  let status = await run(Array(CommandLine.arguments.dropFirst()), signals)
  fflush(nil)
  // Without the endings of libraries: threads that are about to end still use them.
  _exit(signals.status(unlessEnding: status))
}
signals.forward()
