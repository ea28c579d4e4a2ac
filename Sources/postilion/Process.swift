internal import App
internal import EventLoop
internal import Foundation
internal import Postgres

/// The text of `postilion --help`.
let usage: String = {
  let commands = Configuration.Command.allCases.map { ($0.rawValue, $0.summary) }
  let lines = (commands + [("version", "print the version")]).map { name, summary in
    "  \(name)\(String(repeating: " ", count: 10 - name.count))\(summary)"
  }
  return """
    usage: postilion <command>

    \(lines.joined(separator: "\n"))

    postilion <command> --help lists the settings of a command.
    """
}()

/// Exit codes, those of sysexits.h.
enum ExitCode {
  static let ok: Int32 = 0
  static let usage: Int32 = 64
  static let unavailable: Int32 = 69
  static let cannotCreate: Int32 = 73
}

/// Why a command ends early: its exit code and one line for standard error.
struct Exit: Error {
  let code: Int32
  let line: String
}

/// Runs one command.
/// - Returns: The exit code.
func run(_ arguments: [String], _ signals: TerminationSignals) async -> Int32 {
  do throws(Exit) {
    switch arguments.first {
    case "version", "--version": say("postilion \(Service.version)")
    case "help", "--help": say(usage)
    case let name:
      guard let command = name.flatMap({ Configuration.Command(rawValue: $0) }) else {
        throw Exit(code: ExitCode.usage, line: usage)
      }
      try await run(command, Array(arguments.dropFirst()), signals)
    }
    return ExitCode.ok
  } catch {
    complain(error.line)
    return error.code
  }
}

private func run(
  _ command: Configuration.Command, _ arguments: [String], _ signals: TerminationSignals
) async throws(Exit) {
  if arguments.contains("--help") { return say(Configuration.help(command)) }
  if arguments.contains("--version") { return say("postilion \(Service.version)") }
  let configuration: Configuration
  do throws(Configuration.Fault) {
    configuration = try Configuration(
      command, arguments: arguments, environment: ProcessInfo.processInfo.environment,
      cores: ProcessInfo.processInfo.activeProcessorCount, isTerminal: isatty(2) == 1)
  } catch {
    throw Exit(code: ExitCode.usage, line: "postilion: \(error)")
  }
  configuration.tellUnknownVariables(now: Monotonic.wallClockMicroseconds)
  switch command {
  case .serve: try await serve(configuration, signals)
  case .migrate: try await migrate(configuration)
  case .maintain: try await maintain(configuration)
  case .demo: try await demo(configuration, signals)
  }
}

/// Writes a line to standard output at once, whoever reads it.
func say(_ line: String) {
  FileHandle.standardOutput.write(Data((line + "\n").utf8))
}

/// Writes a line to standard error, unless its reader has stalled: the exit code comes anyway.
private func complain(_ line: String) {
  var room = pollfd(fd: STDERR_FILENO, events: Int16(POLLOUT), revents: 0)
  guard poll(&room, 1, Int32(1000)) > 0 else { return }
  // A pipe that has room takes so many bytes without waiting (pipe(7)).
  FileHandle.standardError.write(Data((line + "\n").utf8.prefix(Int(PIPE_BUF))))
}

/// Lends a database: the one that the configuration names, or a private one that runs meanwhile.
private func withDatabase(
  _ configuration: Configuration,
  _ body: (_ conninfo: String, _ embedded: EmbeddedPostgres?) async throws(Exit) -> Void
) async throws(Exit) {
  if let url = configuration.databaseURL { return try await body(url, nil) }
  let embedded = EmbeddedPostgres(dataDirectory: configuration.dataDirectory)
  let conninfo: String
  do throws(EmbeddedPostgresError) {
    conninfo = try embedded.start()
  } catch {
    throw Exit(code: ExitCode.unavailable, line: "postilion: \(error)")
  }
  defer { embedded.stop() }
  try await body(conninfo, embedded)
}

/// `postilion serve`: up, ready line, wait for a signal, down.
private func serve(
  _ configuration: Configuration, _ signals: TerminationSignals
) async throws(Exit) {
  DescriptorLimit.raise()
  try await withDatabase(configuration) { conninfo, embedded throws(Exit) in
    let service: Service
    do throws(SystemError) {
      service = try Service(configuration, conninfo: conninfo)
    } catch {
      throw Exit(code: ExitCode.cannotCreate, line: "postilion: \(error)")
    }
    let loss = embedded.map { embedded in
      Task { await lossOfDatabase(embedded, tellingOf: service, ending: signals) }
    }
    do throws(Service.StartFailure) {
      let started = try await service.start(configuration)
      if let key = started.firstRootKey { say("root key \(key)") }
      say("ready http://\(started.address)")
    } catch {
      await service.stop()
      let code = if case .listen = error { ExitCode.cannotCreate } else { ExitCode.unavailable }
      throw Exit(code: code, line: "postilion: \(error)")
    }
    await signals.wait()
    embedded?.letEnd()
    loss?.cancel()
    await service.stop()
    if let error = await loss?.value {
      throw Exit(code: ExitCode.unavailable, line: "postilion: \(error)")
    }
  }
}

/// Tells the service of what happens to its private database. When that stays down the service
/// ends, so that whoever supervises it acts.
/// - Returns: Why it stays down; `nil` when it does not.
private func lossOfDatabase(
  _ embedded: EmbeddedPostgres, tellingOf service: Service, ending signals: TerminationSignals
) async -> EmbeddedPostgresError? {
  for await event in embedded.events {
    service.observe(event)
    guard case .gaveUp(let error) = event else { continue }
    signals.endWait()
    return error
  }
  return nil
}

/// `postilion demo`: a sample app in a database of its own, until a signal.
private func demo(
  _ configuration: Configuration, _ signals: TerminationSignals
) async throws(Exit) {
  DescriptorLimit.raise()
  let directory = FileManager.default.temporaryDirectory
    .appending(path: "postilion-demo-\(ProcessInfo.processInfo.processIdentifier)")
  defer { try? FileManager.default.removeItem(at: directory) }
  var configuration = configuration
  configuration.dataDirectory = directory.path
  let settings = configuration
  try await withDatabase(settings) { conninfo, embedded throws(Exit) in
    say("The demo makes a sample app; its database is removed when the demo ends (Ctrl+C).")
    let demo: Demo.Started
    do {
      demo = try await Demo.start(settings, conninfo: conninfo)
    } catch {
      throw Exit(code: ExitCode.unavailable, line: "postilion: \(error)")
    }
    say("\(demo.devices) devices; the console with its key:")
    say(demo.console)
    await signals.wait()
    embedded?.letEnd()
    await demo.service.stop()
  }
}

/// `postilion migrate`: the schema, and nothing else.
private func migrate(_ configuration: Configuration) async throws(Exit) {
  try await withDatabase(configuration) { conninfo, _ throws(Exit) in
    do {
      for name in try await Service.migrate(conninfo) { say("applied \(name)") }
    } catch {
      throw Exit(code: ExitCode.unavailable, line: "postilion: \(error)")
    }
  }
}

/// `postilion maintain`: what a running service does by itself once a day.
private func maintain(_ configuration: Configuration) async throws(Exit) {
  try await withDatabase(configuration) { conninfo, _ throws(Exit) in
    let report: MaintenanceReport?
    do {
      report = try await Service(configuration, conninfo: conninfo).maintain()
    } catch {
      throw Exit(code: ExitCode.unavailable, line: "postilion: \(error)")
    }
    guard let report else { return say("another instance is at it") }
    for line in report.done { say(line) }
    guard report.failed.isEmpty else {
      let lines = report.failed.map { "postilion: \($0)" }
      throw Exit(code: ExitCode.unavailable, line: lines.joined(separator: "\n"))
    }
  }
}
