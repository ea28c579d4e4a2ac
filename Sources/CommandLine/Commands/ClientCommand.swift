public import CommandLineGrammar

/// A command that calls a service: how it is written, and what it does.
public struct ClientCommand: Sendable {
  /// How it is written.
  public let syntax: CommandSyntax
  let run: @Sendable (Session) throws(Exit) -> Void

  /// Runs it.
  /// - Throws: ``Exit`` when it ends early.
  public func run(_ invocation: Invocation, in surroundings: Surroundings) throws(Exit) {
    try run(Session(invocation, surroundings))
  }

  /// A command that calls the service, with the options that all of these have.
  init(
    _ syntax: CommandSyntax, run: @escaping @Sendable (Session) throws(Exit) -> Void
  ) {
    var syntax = syntax
    syntax.options += SharedOptions.all
    self.syntax = syntax
    self.run = run
  }

  /// A command that calls nobody.
  init(
    offline syntax: CommandSyntax, run: @escaping @Sendable (Session) throws(Exit) -> Void
  ) {
    self.syntax = syntax
    self.run = run
  }

  /// All of them, in the order of the help.
  public static let all: [ClientCommand] =
    AppCommands.all + KeyCommands.all + CatalogCommands.all + MessageCommands.all
    + ActivityCommands.all
    + DeviceCommands.all + UserCommands.all + StatsCommands.all + FailureCommands.all
    + [RenderCommand.command, ImportCommand.command, ExportCommand.command, TailCommand.command]

  /// What their first words mean, where a second one follows.
  public static let groups: [String: String] = [
    "app": "make apps, list and change them",
    "key": "make and revoke keys",
    "catalog": "upload the strings of a build, and check them",
    "message": "store and show messages",
    "activity": "say how Live Activities are decoded",
    "device": "find devices, and explain what they get",
    "user": "find people, choose their language, erase them",
    "failures": "list and count what apps heard when a registration failed",
    "feedback": "report what APNs answered",
  ]
}

extension ClientCommand {
  /// What the manual page tells of all of them.
  public static let chapters: [Grammar.Chapter] = [
    Grammar.Chapter(
      "ENVIRONMENT",
      [
        ("POSTILION_URL", "Where the service is; the default is \(Destination.standardURL)."),
        (
          "POSTILION_KEY",
          "The key. No option takes one, as other people of a machine see command lines."
        ),
        ("POSTILION_APP", "The app, where a command has --app."),
        ("POSTILION_PROFILE", "The name of a profile."),
        (
          "POSTILION_CA_FILE",
          "A file with the certificates to trust, in PEM, where the service has one of your own "
            + "authority; without it those of the system are trusted."
        ),
        ("NO_COLOR", "Turns colours off, unless it is empty."),
      ]),
    Grammar.Chapter(
      "FILES",
      [
        (
          "~/.config/postilion/profiles.json",
          "Services by name, each with url, key, app and ca_file, of which any may be missing. "
            + "Below XDG_CONFIG_HOME when that is set. The profile called default counts when "
            + "nothing else is said; its key is sent to its own url alone. A file that others may "
            + "read is refused."
        )
      ]),
    Grammar.Chapter(
      "EXIT STATUS", ExitCode.meanings.map { (String($0.code), $0.meaning) }),
  ]
}

/// Options of all commands that call a service.
enum SharedOptions {
  static let app = OptionSyntax(
    "app", "NAME", "the app; POSTILION_APP or a profile may say it, too", isExpected: true)

  /// Of every command that deletes.
  static let dryRun = OptionSyntax(switch: "dry-run", "say what would go, and delete nothing")

  static let all = [
    OptionSyntax(
      "url", "URL", "where the service is", standard: Destination.standardURL,
      variable: "POSTILION_URL", isShared: true),
    OptionSyntax(
      "key-file", "FILE",
      "a file that holds the key and nothing else; POSTILION_KEY may hold the key itself", .file,
      isShared: true),
    OptionSyntax(
      "ca-file", "FILE", "the certificates to trust, in PEM, instead of the system's", .file,
      variable: "POSTILION_CA_FILE", isShared: true),
    OptionSyntax(
      "profile", "NAME", "a service from the file of profiles", variable: "POSTILION_PROFILE",
      isShared: true),
    OptionSyntax(switch: "json", "print the service's own JSON", isShared: true),
    OptionSyntax(switch: "no-color", "no colours, as with NO_COLOR", isShared: true),
  ]
}
