internal import App
internal import CommandLineGrammar
internal import Commands
internal import EventLoop
internal import Foundation
internal import Postgres
internal import Synchronization

/// Runs one command.
/// - Returns: The exit code.
func run(_ arguments: [String], _ signals: TerminationSignals) async -> Int32 {
  do throws(Exit) {
    try await runCommand(arguments, signals)
    return ExitCode.ok
  } catch {
    if !error.line.isEmpty { complain(error.line) }
    return error.code
  }
}

/// Reads a command line and runs its command: one that reads settings of the service, one that
/// tells about the program, or one that calls a service.
private func runCommand(
  _ arguments: [String], _ signals: TerminationSignals
) async throws(Exit) {
  let environment = ProcessInfo.processInfo.environment
  guard !arguments.isEmpty else { throw Exit(code: ExitCode.usage, line: grammar.help()) }
  let request: Grammar.Request
  do throws(UsageFault) {
    request = try grammar.read(arguments, environment: environment)
  } catch {
    throw Exit(code: ExitCode.usage, line: "postilion: \(error)")
  }
  let invocation: Invocation
  switch request {
  case .help(let path): return try say(grammar.help(path))
  case .version: return try say("postilion \(Service.version)")
  case .complete(let line): return try say(grammar.candidates(line), terminator: "")
  case .run(let read): invocation = read
  }
  for command in Configuration.Command.allCases where command.syntax == invocation.command {
    let values = invocation.variables(over: environment)
    do throws(Exit) {
      return try await run(command, invocation, values, environment, signals)
    } catch {
      throw command == .serve ? toldInItsLog(error, values) : error
    }
  }
  if let command = ProgramCommand.all.first(where: { $0.syntax == invocation.command }) {
    return try command.run(invocation)
  }
  let surroundings = Surroundings(
    environment: environment, version: Service.version,
    terminal: Terminal(environment: environment))
  for command in ClientCommand.all where command.syntax == invocation.command {
    do throws(Exit) {
      try command.run(invocation, in: surroundings)
    } catch {
      // All of it, however long: a list of faults may be.
      if !error.line.isEmpty { surroundings.terminal.tell(error.line) }
      throw Exit(code: error.code, line: "")
    }
  }
}

/// Tells why a service ends in the form of its log.
/// - Returns: What is still to be told.
private func toldInItsLog(_ end: Exit, _ values: [String: String]) -> Exit {
  let isTold = Configuration.tellEnd(
    end.line.replacing("postilion: ", with: ""), status: end.code, values: values,
    isTerminal: isatty(2) == 1, now: Monotonic.wallClockMicroseconds)
  return isTold ? Exit(code: end.code, line: "") : end
}

private func run(
  _ command: Configuration.Command, _ invocation: Invocation, _ values: [String: String],
  _ environment: [String: String], _ signals: TerminationSignals
) async throws(Exit) {
  let configuration: Configuration
  do throws(Configuration.Fault) {
    configuration = try Configuration(
      command, values: values, cores: ProcessInfo.processInfo.activeProcessorCount,
      isTerminal: isatty(2) == 1)
  } catch {
    if command == .doctor { return try tell(Doctor.refused(error), invocation) }
    throw Exit(code: ExitCode.usage, line: "postilion: \(error)")
  }
  // The doctor tells of them itself.
  if command != .doctor {
    configuration.tellUnknownVariables(now: Monotonic.wallClockMicroseconds)
  }
  // The demo has a database of its own.
  if command != .doctor, command != .demo {
    configuration.tellEmptyAddress(in: environment, now: Monotonic.wallClockMicroseconds)
  }
  switch command {
  case .serve: try await serve(configuration, signals)
  case .migrate: try await migrate(configuration, signals)
  case .maintain: try await maintain(configuration, signals)
  case .restored: try await restored(configuration, signals)
  case .doctor: try tell(await Doctor.examine(configuration, values: values), invocation)
  case .demo: try await demo(configuration, signals)
  case .move: try await move(configuration, invocation)
  }
}

/// `postilion doctor`: what was found.
private func tell(_ checkup: Checkup, _ invocation: Invocation) throws(Exit) {
  for line in invocation.has("json") ? [checkup.json] : checkup.lines { try say(line) }
  guard checkup.isWell else { throw Exit(code: ExitCode.unwell, line: "") }
}

/// Writes a line to standard output at once, whoever reads it.
func say(_ line: String, terminator: String = "\n") throws(Exit) {
  try Terminal.write(Array((line + terminator).utf8), to: STDOUT_FILENO)
}

/// Writes a line to standard error, unless its reader has stalled or is gone: the exit code comes
/// anyway.
private func complain(_ line: String) {
  var room = pollfd(fd: STDERR_FILENO, events: Int16(POLLOUT), revents: 0)
  guard poll(&room, 1, Int32(1000)) > 0 else { return }
  // A pipe that has room takes so many bytes without waiting (pipe(7)).
  try? Terminal.write(Array((line + "\n").utf8.prefix(Int(PIPE_BUF))), to: STDERR_FILENO)
}

/// Lends a database: the one that the configuration names, or a private one that runs meanwhile.
/// For a private one root becomes another account for good.
/// - Parameter makesCluster: Whether a private one is made where there is none: by a command that
///   serves. Another one was meant for a database that is there.
private func withDatabase(
  _ configuration: Configuration, _ signals: TerminationSignals, makesCluster: Bool = false,
  isTemporary: Bool = false,
  _ body: (_ database: DatabaseAddress, _ embedded: EmbeddedPostgres?) async throws(Exit) -> Void
) async throws(Exit) {
  if let address = configuration.databaseURL { return try await body(address, nil) }
  let embedded: EmbeddedPostgres
  let address: DatabaseAddress
  do {
    let directory = try EmbeddedPostgres.leaveRoot(
      for: configuration.dataDirectory, makes: makesCluster)
    if !makesCluster, try EmbeddedPostgres.presence(in: directory) == .absent {
      throw Exit(
        code: ExitCode.usage,
        line: "postilion: There is no database in \(configuration.dataDirectory): set "
          + "DATABASE_URL, or POSTILION_DATA_DIR.")
    }
    embedded = EmbeddedPostgres(dataDirectory: directory, isTemporary: isTemporary)
    signals.beforeEnd { [embedded] in embedded.abandonStart() }
    address = try DatabaseAddress(try embedded.start())
  } catch let exit as Exit {
    throw exit
  } catch {
    throw Exit(code: ExitCode.unavailable, line: "postilion: \(error)")
  }
  defer { embedded.stop() }
  try await body(address, embedded)
}

/// Takes the address to listen on, which root may lose the right to when it opens its database.
private func take(_ configuration: Configuration) throws(Exit) -> TakenAddress {
  do throws(Service.StartFailure) {
    return try Service.take(configuration.listen, listeners: configuration.loops)
  } catch {
    throw Exit(code: ExitCode.cannotCreate, line: "postilion: \(error)")
  }
}

/// `postilion serve`: up, ready line, wait for a signal, down.
private func serve(
  _ configuration: Configuration, _ signals: TerminationSignals
) async throws(Exit) {
  DescriptorLimit.raise()
  let supervisor = Supervisor(environment: ProcessInfo.processInfo.environment)
  supervisor.starting()
  let address = try take(configuration)
  try await withDatabase(
    configuration, signals, makesCluster: true
  ) { database, embedded throws(Exit) in
    let service: Service
    do throws(SystemError) {
      service = try Service(configuration, database: database)
    } catch {
      throw Exit(code: ExitCode.cannotCreate, line: "postilion: \(error)")
    }
    signals.beforeEnd { service.stopMigrating() }
    let loss = embedded.map { embedded in
      Task { await lossOfDatabase(embedded, tellingOf: service, ending: signals) }
    }
    do throws(Service.StartFailure) {
      // It serves, whether anybody reads that or not.
      try await service.start(configuration, on: address) { key in try? say("root key \(key)") }
      signals.expectWait()
      try? say("ready http://\(address.address)")
      supervisor.ready()
      SystemMemory.trimProgram()
    } catch {
      await service.stop()
      let code =
        switch error {
        case .listen: ExitCode.cannotCreate
        case .rootKeyRevoked: ExitCode.usage
        case .database: ExitCode.unavailable
        }
      throw Exit(code: code, line: "postilion: \(error)")
    }
    await signals.wait()
    supervisor.stopping()
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
  // A name that nobody could know before, and put something else there.
  let folder = FileManager.default.temporaryDirectory.path
  guard let directory = mkdtemp(strdup("\(folder)/postilion-demo-XXXXXX")) else {
    throw Exit(
      code: ExitCode.cannotCreate, line: "postilion: no directory can be made in \(folder).")
  }
  defer {
    rmdir(directory)
    free(directory)
  }
  var configuration = configuration
  configuration.dataDirectory = String(cString: directory)
  let settings = configuration
  let address = try take(configuration)
  try await withDatabase(
    settings, signals, makesCluster: true, isTemporary: true
  ) { database, embedded throws(Exit) in
    try say("The demo makes a sample app; its database is removed when the demo ends (Ctrl+C).")
    let demo: Demo.Started
    do {
      demo = try await Demo.start(settings, on: address, database: database)
    } catch {
      throw Exit(code: ExitCode.unavailable, line: "postilion: \(error)")
    }
    var unsaid: Exit?
    do throws(Exit) {
      try say("\(demo.devices) devices; the console with its key:")
      try say(demo.console)
      await signals.wait()
    } catch {
      unsaid = error
    }
    embedded?.letEnd()
    await demo.service.stop()
    if let unsaid { throw unsaid }
  }
}

/// `postilion migrate`: the schema, and nothing else.
private func migrate(
  _ configuration: Configuration, _ signals: TerminationSignals
) async throws(Exit) {
  let stop = MigrationStop()
  // The steps go on when nobody can read of them.
  let unsaid = Mutex<Exit?>(nil)
  try await withDatabase(configuration, signals) { database, _ throws(Exit) in
    signals.beforeEnd { stop.ask() }
    do {
      try await Service.migrate(database, stop: stop) { event in
        do throws(Exit) {
          try tell(event)
        } catch {
          unsaid.withLock { $0 = error }
        }
      }
    } catch {
      throw Exit(code: ExitCode.unavailable, line: "postilion: \(error)")
    }
  }
  if let exit = unsaid.withLock({ $0 }) { throw exit }
}

private func tell(_ event: MigrationEvent) throws(Exit) {
  switch event {
  case .begins(let step) where step.holdsUpWriters:
    try say("\(step.name) goes through a large table: registrations wait meanwhile")
  case .begins: break
  case .waits(let step, let hindrance): complain("\(step.name) waits for \(hindrance)")
  case .applied(let step): try say("applied \(step.name)")
  }
}

/// `postilion restored`: another life of the database, and its keys.
private func restored(
  _ configuration: Configuration, _ signals: TerminationSignals
) async throws(Exit) {
  try await withDatabase(configuration, signals) { database, _ throws(Exit) in
    let lines: [String]
    do {
      lines = try await Service(configuration, database: database).restored()
    } catch {
      throw Exit(code: ExitCode.unavailable, line: "postilion: \(error)")
    }
    for line in lines { try say(line) }
  }
}

/// `postilion app move`: an app goes to another database.
private func move(
  _ configuration: Configuration, _ invocation: Invocation
) async throws(Exit) {
  guard let database = configuration.databaseURL, let target = configuration.targetURL else {
    throw Exit(
      code: ExitCode.usage,
      line: "postilion: Set DATABASE_URL to the database that the app is in, and "
        + "POSTILION_TARGET_URL to the one that it moves to.")
  }
  do {
    try await Service(configuration, database: database).move(
      invocation.argument("NAME"), to: target, isTakenBack: invocation.has("cancel")
    ) { try? say($0) }
  } catch {
    throw Exit(code: ExitCode.unavailable, line: "postilion: \(error)")
  }
}

/// `postilion maintain`: what a running service does by itself once a day.
private func maintain(
  _ configuration: Configuration, _ signals: TerminationSignals
) async throws(Exit) {
  try await withDatabase(configuration, signals) { database, _ throws(Exit) in
    let report: MaintenanceReport?
    do {
      report = try await Service(configuration, database: database).maintain()
    } catch {
      throw Exit(code: ExitCode.unavailable, line: "postilion: \(error)")
    }
    guard let report else { return try say("another instance is at it") }
    for line in report.done { try say(line) }
    guard report.failed.isEmpty else {
      let lines = report.failed.map { "postilion: \($0)" }
      throw Exit(code: ExitCode.unavailable, line: lines.joined(separator: "\n"))
    }
  }
}
