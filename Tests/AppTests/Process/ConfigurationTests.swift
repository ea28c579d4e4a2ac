import CommandLineGrammar
import Testing

@testable import App
@testable import Registry

/// Settings: from variables and flags, by one table.
@Suite struct ConfigurationTests {
  private func configuration(
    _ command: Configuration.Command = .serve, _ arguments: [String] = [],
    _ environment: [String: String] = [:]
  ) throws -> Configuration {
    let grammar = Grammar(
      program: "postilion", summary: "", version: "",
      sections: [.init("", Configuration.Command.allCases.map(\.syntax))], groups: [:])
    let request = try grammar.read([command.rawValue] + arguments, environment: environment)
    guard case .run(let invocation) = request else { throw UsageFault("\(request)") }
    return try Configuration(
      command, values: invocation.variables(over: environment), cores: 3, isTerminal: false)
  }

  /// Those of the help that are values.
  @Test(
    arguments: ["POSTILION_DATA_DIR", "POSTILION_LISTEN", "POSTILION_LOG_LEVEL"]
      + ["POSTILION_WEBHOOKS"]
      + ["POSTILION_DATABASE_CONNECTIONS", "POSTILION_DRAIN_SECONDS", "POSTILION_RETENTION_MONTHS"])
  func theDefaultIsWhatTheHelpSays(variable: String) throws {
    let setting = try #require(Configuration.settings.first { $0.variable == variable })
    let given = try configuration(.serve, [], [variable: setting.standard])
    #expect("\(given)" == "\(try configuration())")
  }

  @Test func aFlagWinsOverItsVariable() throws {
    let both = try configuration(
      .serve, ["--loops=7", "--data-dir", "/d"],
      ["POSTILION_LOOPS": "5", "POSTILION_DATA_DIR": "/e", "POSTILION_RETENTION_MONTHS": ""])
    #expect(both.loops == 7)
    #expect(both.dataDirectory == "/d")
    #expect(both.retentionMonths == 13)
  }

  @Test func webhooksAreOnUnlessTheyAreOff() throws {
    #expect(try configuration().deliversToWebhooks)
    #expect(try !configuration(.serve, ["--webhooks", "off"]).deliversToWebhooks)
    #expect(throws: Configuration.Fault.self) { try configuration(.serve, ["--webhooks", "no"]) }
  }

  /// The variables of a service are there when its commands run, too.
  @Test func aCommandHeedsItsOwnSettings() throws {
    #expect(try configuration(.migrate, [], ["POSTILION_LOOPS": "none"]).loops == 3)
    #expect(throws: UsageFault.self) { try configuration(.migrate, ["--loops", "2"]) }
    #expect(try configuration(.maintain, ["--retention-months", "2"]).retentionMonths == 2)
  }

  @Test(arguments: [
    (
      ["--database-url", "postgres://a"],
      "--database-url is no option, as everybody could read it in a list of processes: "
        + "set DATABASE_URL, or DATABASE_URL_FILE to the path of a file."
    ),
    (
      ["--loop", "2"],
      "postilion serve knows no --loop; the nearest is --loops. postilion serve --help lists all."
    ),
    (["now"], "postilion serve has no place for one more word: postilion serve [options]."),
    (
      ["--loops"],
      "--loops needs a value: --loops VALUE, event loops, 1 to 64."
    ),
  ])
  func whatIsNoOptionIsRefused(arguments: [String], fault: String) {
    #expect(throws: UsageFault(fault)) { try configuration(.serve, arguments) }
  }

  /// As for a script that puts its own options behind the usual ones.
  @Test func theLastOfSeveralCounts() throws {
    #expect(try configuration(.serve, ["--loops", "2", "--loops=4"]).loops == 4)
  }

  @Test func aCommandIsWrittenWithItsSettings() {
    for command in Configuration.Command.allCases {
      let flags = command.syntax.options.map { "\($0.flag) \($0.variable ?? "")" }
      #expect(command.syntax.path.joined(separator: " ") == command.rawValue)
      for setting in Configuration.settings {
        let isThere = flags.contains("\(setting.flag) \(setting.variable)")
        #expect(isThere == (setting.commands.contains(command) && !setting.isSecret))
        let isTold = command.syntax.details.contains {
          $0.contains("\(setting.variable), or \(setting.fileVariable)")
        }
        #expect(isTold == (setting.commands.contains(command) && setting.isSecret))
      }
    }
  }

  @Test(
    arguments: [
      ("POSTILION_LOGLEVEL", "POSTILION_LOG_LEVEL"), ("POSTILION_LOGS", "POSTILION_LOG"),
      ("POSTILION_LISTENS", "POSTILION_LISTEN"),
      ("POSTILION_ROOTKEY", "POSTILION_ROOT_KEY"), ("POSTILION_LOOP", "POSTILION_LOOPS"),
      ("POSTILION_DATADIR", "POSTILION_DATA_DIR"), ("postilion_loops", nil), ("LOOPS", nil),
      ("POSTILION_LOOPS", nil), ("POSTILION_KEY", nil),
    ] as [(String, String?)])
  func aVariableThatIsNoneHasANearest(variable: String, nearest: String?) throws {
    let unknown = try configuration(.serve, [], [variable: "2"]).unknown
    #expect(unknown.map(\.nearest) == (nearest.map { [$0] } ?? []))
  }

  @Test func aFaultNamesTheValueUnlessItIsASecret() {
    func complaint(_ variable: String, _ value: String) -> String? {
      do {
        _ = try configuration(.serve, [], [variable: value])
        return nil
      } catch { return "\(error)" }
    }
    #expect(
      complaint("POSTILION_LOOPS", "65") == "POSTILION_LOOPS is not \"65\": event loops, 1 to 64.")
    #expect(complaint("POSTILION_ROOT_KEY", "hunter2")?.contains("hunter2") == false)
    #expect(
      complaint("DATABASE_URL", "postgres://a:hunter2@[")?.hasPrefix(
        "DATABASE_URL is not understood")
        == true)
  }
}
