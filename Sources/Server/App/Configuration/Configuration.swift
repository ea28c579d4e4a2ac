internal import CommandLineGrammar
public import EventLoop
public import Postgres
internal import Telemetry

/// The settings of a command of the program. Each setting is an environment variable and a flag of
/// the same meaning, `POSTILION_DATA_DIR` and `--data-dir`; the flag wins. Everybody on a machine
/// may read command lines, so a secret has no flag: it is in its variable, or in a file that
/// `POSTILION_ROOT_KEY_FILE` or its like names.
public struct Configuration: Sendable {
  /// Where the database is; `nil` runs a private PostgreSQL in ``dataDirectory``.
  public var databaseURL: DatabaseAddress?
  /// The database that an app moves to.
  public var targetURL: DatabaseAddress?
  /// Where a replica is reached; `nil` when there is none.
  var readURL: DatabaseAddress?
  /// Seconds that the replica may be behind; 1 to 3600.
  var readLagSeconds = 10
  /// Where the private PostgreSQL lives.
  public var dataDirectory = "./var"
  /// Where to listen; port 0 picks one.
  public var listen: SocketAddress = Configuration.standardAddress
  /// A root key to install; `nil` makes one at the very first start.
  var rootKey: APIKey?
  /// Event loops, each a thread; 1 to 64.
  public var loops: Int
  /// Database connections of each loop; 1 to 32.
  public var databaseConnections = 2
  /// Seconds within which a call of the database is answered or fails; 1 to 60.
  public var databaseTimeoutSeconds = 5
  /// Seconds that requests under way have once the service is to end; 1 to 600.
  var drainSeconds = 10
  /// Months that history, failures and audit log are kept; 1 to 120.
  var retentionMonths = 13
  /// Devices of the demo's app; 0 to 1,000,000.
  var demoDevices = 2000
  /// The limits of one client, one key and one app.
  var floods = FloodLimits()
  /// The proxies that the service believes when they name the client that they call for.
  var proxies = TrustedProxies()
  /// Whether changes are delivered to webhooks.
  var deliversToWebhooks = true
  /// Networks that webhooks may reach beside the public ones.
  var webhookNetworks: [IPNetwork] = []
  /// Whether webhooks may be reached without TLS.
  var webhooksTakePlainHTTP = false
  var logFormat: LogFormat
  var logLevel = LogLevel.info
  /// Variables that look like settings and are none, each with the name of the nearest one.
  var unknown: [(variable: String, nearest: String)]

  /// The variables of the commands that call a service. A shell that runs both kinds of commands
  /// has these variables, too.
  private static let clientVariables: Set = [
    "POSTILION_URL", "POSTILION_KEY", "POSTILION_APP", "POSTILION_PROFILE", "POSTILION_CA_FILE",
  ]

  private static let standardAddress: SocketAddress = {
    guard let address = SocketAddress("127.0.0.1:8080") else {
      preconditionFailure("an address of the loopback interface")
    }
    return address
  }()

  /// What is wrong with the configuration, in one line; the process exits with 64 (EX_USAGE).
  public struct Fault: Error, Sendable, Equatable, CustomStringConvertible {
    /// The line.
    public let description: String
  }

  /// Reads the settings that a command heeds.
  /// - Parameters:
  ///   - values: The values by variable; values of the command line have replaced values of the
  ///     environment.
  ///   - isTerminal: Whether the log goes to a person.
  ///   - contents: Reads a file with a secret.
  public init(
    _ command: Command = .serve, values: [String: String], cores: Int, isTerminal: Bool,
    contents: (_ path: String) throws(SecretFile.Fault) -> String = SecretFile.contents
  ) throws(Fault) {
    loops = cores
    logFormat = isTerminal ? .text : .json
    // Somebody who looks at the demo has not come for its log.
    if command == .demo { logLevel = .warning }
    let names = Self.settings.flatMap { [$0.variable] + ($0.isSecret ? [$0.fileVariable] : []) }
    unknown = values.keys.sorted()
      .filter { $0.hasPrefix("POSTILION_") && !names.contains($0) }
      .filter { !Self.clientVariables.contains($0) }
      .map { ($0, nearestName(to: $0, among: names)) }
    var values = values
    for setting in command.settings where setting.isSecret {
      guard let path = values[setting.fileVariable] else { continue }
      guard values[setting.variable] == nil else {
        throw Fault(
          description: "\(setting.variable) and \(setting.fileVariable) are both set; "
            + "leave one of them out.")
      }
      do throws(SecretFile.Fault) {
        values[setting.variable] = try contents(path)
      } catch {
        // A person who confused the two variables has put the secret itself here.
        throw Fault(
          description: "\(setting.fileVariable) names a file that \(error.description).")
      }
    }
    for setting in command.settings {
      guard let text = values[setting.variable], !setting.take(text, &self) else { continue }
      throw Fault(description: setting.complaint(about: text))
    }
  }

  /// Warns of variables that nothing reads, such as misspelt ones; their values may be secrets.
  /// - Parameter now: The wall clock, in microseconds since 1970.
  public func tellUnknownVariables(now: @escaping @Sendable () -> Int64) {
    let logger = Logger(format: logFormat, minimumLevel: logLevel, now: now)
    for (variable, nearest) in unknown {
      logger.log(
        .warning, "unknown_variable", ["variable": .string(variable), "nearest": .string(nearest)])
    }
  }
}

extension Configuration {
  /// Warns of a `DATABASE_URL` that is empty, for example because a script did not fill it in: the
  /// private PostgreSQL is another database.
  /// - Parameters:
  ///   - environment: The environment, with its empty variables.
  ///   - now: The wall clock, in microseconds since 1970.
  public func tellEmptyAddress(
    in environment: [String: String], now: @escaping @Sendable () -> Int64
  ) {
    guard databaseURL == nil, environment["DATABASE_URL"]?.isEmpty == true else { return }
    let cause = "DATABASE_URL is empty: the private PostgreSQL in \(dataDirectory) is used."
    Logger(format: logFormat, minimumLevel: logLevel, now: now)
      .log(.warning, "database_url_empty", ["cause": .string(cause)])
  }

  /// Tells why a service ends. Where its log is JSON, the reason is a last line of the log, so that
  /// a reader of the log need not know another form.
  /// - Parameters:
  ///   - values: The values by variable; they need not be right.
  ///   - sentence: The reason.
  ///   - now: The wall clock, in microseconds since 1970.
  /// - Returns: `false` when the log is for people: nothing was told.
  public static func tellEnd(
    _ sentence: String, status: Int32, values: [String: String], isTerminal: Bool,
    now: @escaping @Sendable () -> Int64
  ) -> Bool {
    let said = values["POSTILION_LOG"].flatMap(LogFormat.init(rawValue:))
    let format = said ?? (isTerminal ? .text : .json)
    guard format == .json else { return false }
    let logger = Logger.unwaiting(format: .json, now: now)
    logger.log(.error, "ended", ["cause": .string(sentence), "status": .integer(Int(status))])
    logger.finish()
    return true
  }
}

extension Configuration.Setting {
  /// The complaint about a value that the setting does not have; a secret is not repeated.
  fileprivate func complaint(about text: String) -> String {
    guard isSecret else { return "\(variable) is not \"\(text)\": \(meaning)." }
    return "\(variable) is not understood: \(fault(text) ?? meaning)."
  }
}
