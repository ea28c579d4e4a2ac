internal import EventLoop
internal import Glibc

let signals = TerminationSignals()
Task.detached { exit(await run(Array(CommandLine.arguments.dropFirst()), signals)) }
signals.forward()
