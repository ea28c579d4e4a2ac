internal import App
internal import EventLoop
internal import Foundation
internal import Postgres

let version = "0.1.0"

let usage = """
  usage: postilion <command>

    serve     run the service; postilion serve --help lists its settings
    migrate   bring the database's schema up to date and exit
    maintain  make the coming months' partitions, remove what is out of date, and exit
    version   print the version
  """

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
    let rest = Array(arguments.dropFirst())
    switch arguments.first {
    case "serve" where rest.contains("--help"): say(Configuration.help)
    case "serve": try await serve(rest, signals)
    case "migrate": try await migrate(rest)
    case "maintain": try await maintain(rest)
    case "version": say("postilion \(version)")
    case "help", "--help": say(usage)
    default: throw Exit(code: ExitCode.usage, line: usage)
    }
    return ExitCode.ok
  } catch {
    FileHandle.standardError.write(Data((error.line + "\n").utf8))
    return error.code
  }
}

/// Writes a line to standard output at once, whoever reads it.
func say(_ line: String) {
  FileHandle.standardOutput.write(Data((line + "\n").utf8))
}

private func configuration(_ arguments: [String]) throws(Exit) -> Configuration {
  do throws(Configuration.Fault) {
    return try Configuration(
      arguments: arguments, environment: ProcessInfo.processInfo.environment,
      cores: ProcessInfo.processInfo.activeProcessorCount, isTerminal: isatty(2) == 1)
  } catch {
    throw Exit(code: ExitCode.usage, line: "postilion: \(error)")
  }
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
private func serve(_ arguments: [String], _ signals: TerminationSignals) async throws(Exit) {
  let configuration = try configuration(arguments)
  raiseDescriptorLimit()
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

/// `postilion migrate`: the schema, and nothing else.
private func migrate(_ arguments: [String]) async throws(Exit) {
  try await withDatabase(try configuration(arguments)) { conninfo, _ throws(Exit) in
    do {
      for name in try await Service.migrate(conninfo) { say("applied \(name)") }
    } catch {
      throw Exit(code: ExitCode.unavailable, line: "postilion: \(error)")
    }
  }
}

/// `postilion maintain`: what a running service does by itself once a day.
private func maintain(_ arguments: [String]) async throws(Exit) {
  let configuration = try configuration(arguments)
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

/// Ten thousand phones are ten thousand descriptors: takes what the system allows.
private func raiseDescriptorLimit() {
  var limit = rlimit()
  guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return }
  limit.rlim_cur = limit.rlim_max
  setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
}
