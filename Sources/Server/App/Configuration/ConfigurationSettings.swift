public import CommandLineGrammar
internal import EventLoop
internal import Postgres
internal import Telemetry

extension Configuration {
  /// A command of the program that reads settings.
  public enum Command: String, CaseIterable, Sendable {
    case serve
    case migrate
    case maintain
    case restored
    case doctor
    case demo
    case move = "app move"

    /// The purpose of the command, in a line.
    public var summary: String {
      switch self {
      case .serve: "run the service"
      case .migrate: "bring the database's schema up to date and exit"
      case .maintain:
        "make the coming months' partitions, remove what is out of date, and exit"
      case .restored: "say that the database was restored, list the keys in use, and exit"
      case .doctor: "look at settings, database, network and disk, and say what to do"
      case .demo: "serve a sample app from a database that is removed at the end"
      case .move: "carry an app to the database of another Postilion while both serve"
      }
    }

    /// The settings that the command heeds.
    var settings: [Setting] { Configuration.settings.filter { $0.commands.contains(self) } }
  }

  /// One setting: its variable, its meaning, its default for people, the commands that heed it, and
  /// the way in which its value is taken.
  struct Setting: Sendable {
    let variable: String
    let meaning: String
    let standard: String
    var commands: Set<Command> = [.serve, .migrate, .maintain, .restored]
    /// Whether the value is never shown, and the setting has no flag.
    var isSecret = false
    /// The fault of a value, without quoting it, where there is more to say than `meaning`.
    var fault: @Sendable (_ text: String) -> String? = { _ in nil }
    /// Stores a value.
    /// - Returns: `false` when the text is none of the values that the setting has.
    let take: @Sendable (_ text: String, _ configuration: inout Configuration) -> Bool

    /// The variable that names a file with the value, in the way of Docker's secrets and of
    /// `LoadCredential=` of systemd; for secrets.
    var fileVariable: String { variable + "_FILE" }

    /// `POSTILION_DATA_DIR` is `--data-dir`, `DATABASE_URL` is `--database-url`.
    var flag: String {
      let name = variable.hasPrefix("POSTILION_") ? variable.dropFirst(10) : variable[...]
      return "--" + name.lowercased().split(separator: "_").joined(separator: "-")
    }
  }

  /// `postilion doctor` looks at every setting that the service heeds.
  static let settings = (commonSettings + floodSettings + webhookSettings).map { setting in
    var setting = setting
    if setting.commands.contains(.serve) { setting.commands.insert(.doctor) }
    return setting
  }

  private static let commonSettings = [
    address(
      "DATABASE_URL", "libpq URI or conninfo, several hosts allowed; absent: a private PostgreSQL",
      "embedded", \.databaseURL, [.serve, .migrate, .maintain, .restored, .move]),
    address(
      "POSTILION_TARGET_URL", "the database of the Postilion that an app moves to", "none",
      \.targetURL, [.move]),
    address(
      "POSTILION_READ_URL",
      "a hot standby of the database for lists, exports, statistics and audiences", "none",
      \.readURL, [.serve]),
    number(
      "POSTILION_READ_LAG_SECONDS",
      "seconds that the standby may be behind, or the primary answers",
      "10", Limits.readLagSeconds, \.readLagSeconds, [.serve]),
    Setting(
      variable: "POSTILION_DATA_DIR", meaning: "where the private PostgreSQL lives",
      standard: "./var", take: storing(\.dataDirectory) { $0 }),
    Setting(
      variable: "POSTILION_LISTEN",
      meaning: "address and port, as 127.0.0.1:8080 or [::1]:8080; port 0 picks one",
      standard: "127.0.0.1:8080", commands: [.serve, .demo],
      take: storing(\.listen) { SocketAddress($0) }),
    Setting(
      variable: "POSTILION_ROOT_KEY",
      meaning: "installs this root key, pst_root_ and 16 or more of A-Z a-z 0-9 - _",
      standard: "one is made at the very first start", commands: [.serve], isSecret: true,
      fault: { text in
        guard APIKey(text)?.isPlaceholder == true else { return nil }
        return "it stood in documents, and everybody knows it. Make one with: "
          + #"echo "pst_root_$(head -c 24 /dev/urandom | base64 | tr +/ -_)""#
      }
    ) { text, configuration in
      configuration.rootKey = APIKey(text)
      guard let key = configuration.rootKey, key.kind == .root else { return false }
      return !key.isPlaceholder
    },
    number("POSTILION_LOOPS", "event loops", "cores", 1...64, \.loops, [.serve, .demo]),
    number(
      "POSTILION_DATABASE_CONNECTIONS", "database connections per loop", "2", 1...32,
      \.databaseConnections, [.serve, .demo]),
    number(
      "POSTILION_DATABASE_TIMEOUT_SECONDS",
      "seconds within which the database answers a call, or the call fails", "5",
      Limits.databaseTimeoutSeconds, \.databaseTimeoutSeconds, [.serve, .demo]),
    number(
      "POSTILION_DRAIN_SECONDS", "seconds that running calls may take when the service stops",
      "10", Limits.drainSeconds, \.drainSeconds, [.serve, .demo]),
    number(
      "POSTILION_RETENTION_MONTHS", "whole months that history, failures and audit log are kept",
      "13", Limits.retentionMonths, \.retentionMonths, [.serve, .maintain]),
    number(
      "POSTILION_DEMO_DEVICES", "devices of the sample app", "2000", 0...1_000_000,
      \.demoDevices, [.demo]),
    Setting(
      variable: "POSTILION_LOG", meaning: "form of the log, text or json",
      standard: "text on a terminal, else json", commands: Set(Command.allCases),
      take: storing(\.logFormat) { LogFormat(rawValue: $0) }),
    Setting(
      variable: "POSTILION_LOG_LEVEL",
      meaning: "debug (every request), info (4xx and up), warning or error", standard: "info",
      commands: Set(Command.allCases), take: storing(\.logLevel) { LogLevel(name: $0) }),
  ]

  private static func address(
    _ variable: String, _ meaning: String, _ standard: String,
    _ place: any WritableKeyPath<Configuration, DatabaseAddress?> & Sendable,
    _ commands: Set<Command>
  ) -> Setting {
    Setting(
      variable: variable, meaning: meaning, standard: standard, commands: commands, isSecret: true,
      fault: { text in
        do throws(DatabaseAddress.Fault) {
          _ = try DatabaseAddress(text)
          return nil
        } catch {
          return error.description
        }
      }
    ) { text, configuration in
      configuration[keyPath: place] = try? DatabaseAddress(text)
      return configuration[keyPath: place] != nil
    }
  }

  private static func number(
    _ variable: String, _ meaning: String, _ standard: String, _ range: ClosedRange<Int>,
    _ place: any WritableKeyPath<Configuration, Int> & Sendable, _ commands: Set<Command>
  ) -> Setting {
    Setting(
      variable: variable, meaning: "\(meaning), \(range.lowerBound) to \(range.upperBound)",
      standard: standard, commands: commands,
      take: storing(place) { text in Int(text).flatMap { range.contains($0) ? $0 : nil } })
  }

  /// Stores the value that `read` makes of a setting's text, unless that is `nil`.
  static func storing<Value>(
    _ place: any WritableKeyPath<Configuration, Value> & Sendable,
    _ read: @escaping @Sendable (_ text: String) -> Value?
  ) -> @Sendable (String, inout Configuration) -> Bool {
    { text, configuration in
      guard let value = read(text) else { return false }
      configuration[keyPath: place] = value
      return true
    }
  }
}

extension Configuration.Command {
  private static let jsonSwitch = OptionSyntax(switch: "json", "print JSON")

  private static let moveDetails = [
    "It refuses changes of the app from its beginning to its end: such calls get 503 app_moving, "
      + "and come again. At the end all calls of the app get that, until they are led to the other "
      + "Postilion. If the command breaks off, run it again.",
    "It needs the accounts that own both databases; docs/scale.md has the whole way.",
  ]
  private static let cancelSwitch = OptionSyntax(
    switch: "cancel", "take a move back that has not come to its end")
  private static let appName = ArgumentSyntax("NAME", "the app's name in addresses, such as food")

  private static let exitStatus =
    "It reads the settings of serve, changes nothing, and may run beside the service. Each line is "
    + "ok, a note for people to judge, or wrong. The exit status is 1 when something is wrong, and "
    + "else 0."

  /// The syntax of the command, for help, manual page and completions.
  public var syntax: CommandSyntax {
    CommandSyntax(
      rawValue.split(separator: " ").map(String.init), summary,
      details: (self == .doctor ? [Self.exitStatus] : []) + (self == .move ? Self.moveDetails : [])
        + ["Each option has an environment variable; the option wins."]
        + settings.filter(\.isSecret).map { secret in
          "\(secret.variable), or \(secret.fileVariable) with the path of a file: "
            + "\(secret.meaning) (\(secret.standard)). It may be secret, so there is no option."
        },
      arguments: self == .move ? [Self.appName] : [],
      options: (self == .doctor ? [Self.jsonSwitch] : [])
        + (self == .move ? [Self.cancelSwitch] : [])
        + settings.filter { !$0.isSecret }.map { setting in
          // When an option has several values, the last counts.
          OptionSyntax(
            String(setting.flag.dropFirst(2)), "VALUE", setting.meaning,
            standard: setting.standard, variable: setting.variable, isRepeated: true)
        },
      refusals: Dictionary(
        uniqueKeysWithValues: settings.filter(\.isSecret).map { secret in
          (
            secret.flag,
            "everybody could read it in a list of processes: set \(secret.variable), or "
              + "\(secret.fileVariable) to the path of a file"
          )
        }))
  }
}
