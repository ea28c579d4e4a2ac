internal import Crypto
public import EventLoop
internal import Postgres
internal import Telemetry

/// What `postilion serve` is told: each setting is an environment variable and a flag of the same
/// meaning, `POSTILION_DATA_DIR` and `--data-dir`; the flag wins.
public struct Configuration: Sendable {
  /// A libpq URI or keyword string; `nil` runs a private PostgreSQL in ``dataDirectory``.
  public var databaseURL: String?
  /// Where the private PostgreSQL lives.
  public var dataDirectory = "./var"
  /// Where to listen; port 0 picks one.
  public var listen: SocketAddress
  /// A root key to install; `nil` makes one at the very first start.
  var rootKey: APIKey?
  /// Event loops, each a thread; 1 to 64.
  public var loops: Int
  /// Database connections of each loop; 1 to 32.
  public var databaseConnections = 2
  /// Months that history, failures and audit log are kept; 1 to 120.
  var retentionMonths = 13
  var logFormat: LogFormat
  var logLevel = LogLevel.info

  /// One setting: its variable, what it means, and its default for people.
  struct Setting: Sendable {
    let variable: String
    let meaning: String
    let standard: String
    /// `POSTILION_DATA_DIR` is `--data-dir`, `DATABASE_URL` is `--database-url`.
    var flag: String {
      let name = variable.hasPrefix("POSTILION_") ? variable.dropFirst(10) : variable[...]
      return "--" + name.lowercased().split(separator: "_").joined(separator: "-")
    }
  }

  static let settings = [
    Setting(
      variable: "DATABASE_URL",
      meaning: "libpq URI or conninfo, several hosts allowed; absent: a private PostgreSQL",
      standard: "embedded"),
    Setting(
      variable: "POSTILION_DATA_DIR", meaning: "where the private PostgreSQL lives",
      standard: "./var"),
    Setting(
      variable: "POSTILION_LISTEN", meaning: "address and port; port 0 picks one",
      standard: "127.0.0.1:8080"),
    Setting(
      variable: "POSTILION_ROOT_KEY",
      meaning: "installs this root key, pst_root_ and 16 or more of A-Z a-z 0-9 - _",
      standard: "one is made at the very first start"),
    Setting(variable: "POSTILION_LOOPS", meaning: "event loops, 1 to 64", standard: "cores"),
    Setting(
      variable: "POSTILION_DATABASE_CONNECTIONS", meaning: "database connections per loop, 1 to 32",
      standard: "2"),
    Setting(
      variable: "POSTILION_RETENTION_MONTHS",
      meaning: "whole months that history, failures and audit log are kept, 1 to 120",
      standard: "13"),
    Setting(
      variable: "POSTILION_LOG", meaning: "text or json",
      standard: "text on a terminal, else json"),
    Setting(
      variable: "POSTILION_LOG_LEVEL",
      meaning: "debug (every request), info (4xx and up), warning, error", standard: "info"),
  ]

  /// What is wrong with the configuration, in one line; the process exits with 64 (EX_USAGE).
  public struct Fault: Error, Sendable, Equatable, CustomStringConvertible {
    /// The line.
    public let description: String
  }

  /// Reads the settings.
  /// - Parameters:
  ///   - arguments: What follows `serve`: `--flag value` or `--flag=value`.
  ///   - isTerminal: Whether the log goes to a person.
  public init(
    arguments: [String], environment: [String: String], cores: Int, isTerminal: Bool
  ) throws(Fault) {
    let values = try Self.values(arguments, environment)
    func number(_ variable: String, _ range: ClosedRange<Int>, _ standard: Int) throws(Fault) -> Int
    {
      guard let text = values[variable] else { return standard }
      guard let number = Int(text), range.contains(number) else {
        throw Fault(
          description: "\(variable) is a number from \(range.lowerBound) to \(range.upperBound), "
            + "not \"\(text)\".")
      }
      return number
    }
    databaseURL = values["DATABASE_URL"]
    if let databaseURL, let fault = connectionStringFault(databaseURL) {
      throw Fault(description: "DATABASE_URL is not understood: \(fault)")
    }
    dataDirectory = values["POSTILION_DATA_DIR"] ?? dataDirectory
    let address = values["POSTILION_LISTEN"] ?? "127.0.0.1:8080"
    guard let listen = SocketAddress(address) else {
      throw Fault(
        description: "POSTILION_LISTEN is an address and a port, as 127.0.0.1:8080 or [::1]:8080, "
          + "not \"\(address)\".")
    }
    self.listen = listen
    if let text = values["POSTILION_ROOT_KEY"] {
      guard let key = APIKey(text), key.kind == .root else {
        throw Fault(
          description: "POSTILION_ROOT_KEY is pst_root_ and at least \(APIKey.randomMinimum) of "
            + "A-Z a-z 0-9 - _.")
      }
      rootKey = key
    }
    loops = try number("POSTILION_LOOPS", 1...64, cores)
    databaseConnections = try number("POSTILION_DATABASE_CONNECTIONS", 1...32, 2)
    retentionMonths = try number(
      "POSTILION_RETENTION_MONTHS", Limits.retentionMonths, retentionMonths)
    let format = values["POSTILION_LOG"] ?? (isTerminal ? "text" : "json")
    guard let logFormat = LogFormat(rawValue: format) else {
      throw Fault(description: "POSTILION_LOG is text or json, not \"\(format)\".")
    }
    self.logFormat = logFormat
    if let name = values["POSTILION_LOG_LEVEL"] {
      guard let level = LogLevel(name: name) else {
        throw Fault(
          description: "POSTILION_LOG_LEVEL is debug, info, warning or error, not \"\(name)\".")
      }
      logLevel = level
    }
  }

  /// Values by variable. An empty variable counts as absent, as in a compose file's `KEY=`.
  private static func values(
    _ arguments: [String], _ environment: [String: String]
  ) throws(Fault) -> [String: String] {
    var values: [String: String] = [:]
    for setting in settings {
      if let value = environment[setting.variable], !value.isEmpty {
        values[setting.variable] = value
      }
    }
    var rest = arguments[...]
    while let argument = rest.popFirst() {
      let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard let setting = settings.first(where: { $0.flag == parts[0] }) else {
        throw Fault(
          description: "serve knows no \"\(parts[0])\"; postilion serve --help lists its flags.")
      }
      guard let value = parts.count == 2 ? String(parts[1]) : rest.popFirst() else {
        throw Fault(description: "\(setting.flag) needs a value.")
      }
      values[setting.variable] = value
    }
    return values
  }

  /// The text of `postilion serve --help`.
  public static var help: String {
    var text = "usage: postilion serve [flags]\n\nEach flag has an environment variable:"
    for setting in settings {
      text += "\n\n  \(setting.flag)  (\(setting.variable))"
      text += "\n      \(setting.meaning); default: \(setting.standard)"
    }
    return text
  }
}
