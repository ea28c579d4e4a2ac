internal import App
internal import EventLoop
internal import Foundation
internal import Postgres

let version = "0.1.0"

let usage = """
  usage: postilion <command>

    serve     run the service; postilion serve --help lists its settings
    migrate   bring the database's schema up to date and exit
    version   print the version
  """

/// Exit codes of sysexits.h.
enum ExitCode: Int32 {
  case usage = 64
  case unavailable = 69
  case cannotCreate = 73
}

/// Writes a line to standard output at once, whoever reads it.
func say(_ line: String) {
  FileHandle.standardOutput.write(Data((line + "\n").utf8))
}

/// Ends the process with one line on standard error.
func exit(with code: ExitCode, _ line: String) -> Never {
  FileHandle.standardError.write(Data((line + "\n").utf8))
  exit(code.rawValue)
}

func configuration(_ arguments: [String]) -> Configuration {
  do throws(Configuration.Fault) {
    return try Configuration(
      arguments: arguments, environment: ProcessInfo.processInfo.environment,
      cores: ProcessInfo.processInfo.activeProcessorCount, isTerminal: isatty(2) == 1)
  } catch {
    exit(with: .usage, "postilion: \(error)")
  }
}

/// Starts the private PostgreSQL unless a database was given.
func database(_ configuration: Configuration) -> (conninfo: String, embedded: EmbeddedPostgres?) {
  if let url = configuration.databaseURL { return (url, nil) }
  let embedded = EmbeddedPostgres(dataDirectory: configuration.dataDirectory)
  do throws(EmbeddedPostgresError) {
    return (try embedded.start(), embedded)
  } catch {
    exit(with: .unavailable, "postilion: \(error)")
  }
}

/// `postilion serve`: up, ready line, wait for a signal, down.
func serve(_ arguments: [String]) async {
  let signals = TerminationSignals()
  let configuration = configuration(arguments)
  raiseDescriptorLimit()
  let (conninfo, embedded) = database(configuration)
  do {
    let service = try Service(configuration, conninfo: conninfo)
    let started = try await service.start(configuration)
    if let key = started.firstRootKey { say("root key \(key)") }
    say("ready http://\(started.address)")
    await signals.wait()
    await service.stop()
    embedded?.stop()
  } catch let failure as Service.StartFailure {
    embedded?.stop()
    switch failure {
    case .database: exit(with: .unavailable, "postilion: \(failure)")
    case .listen: exit(with: .cannotCreate, "postilion: \(failure)")
    }
  } catch {
    embedded?.stop()
    exit(with: .cannotCreate, "postilion: \(error)")
  }
}

/// `postilion migrate`: the schema, and nothing else.
func migrateOnly(_ arguments: [String]) async {
  let configuration = configuration(arguments)
  let (conninfo, embedded) = database(configuration)
  do {
    for name in try await Service.migrate(conninfo) { print("applied \(name)") }
    embedded?.stop()
  } catch {
    embedded?.stop()
    exit(with: .unavailable, "postilion: \(error)")
  }
}

/// Ten thousand phones are ten thousand descriptors: takes what the system allows.
func raiseDescriptorLimit() {
  var limit = rlimit()
  guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return }
  limit.rlim_cur = limit.rlim_max
  setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
}
