internal import App
internal import CommandLineGrammar
internal import Commands

/// A command that tells about the program itself.
struct ProgramCommand {
  /// How it is written.
  let syntax: CommandSyntax
  let run: (Invocation) throws(Exit) -> Void

  /// All of them.
  static var all: [ProgramCommand] { [completions, man, version] }

  private static var completions: ProgramCommand {
    ProgramCommand(
      syntax: CommandSyntax(
        ["completions"], "print the completions of a shell",
        arguments: [
          ArgumentSyntax("SHELL", "bash, zsh or fish", .words(Shell.allCases.map(\.rawValue)))
        ],
        examples: [
          .init(
            "source <(postilion completions bash)",
            "For this shell; in ~/.bashrc for all of them. The same with zsh, after compinit."),
          .init(
            "postilion completions fish > ~/.config/fish/completions/postilion.fish",
            "For every shell from now on."),
        ])
    ) { invocation throws(Exit) in
      guard let shell = Shell(rawValue: invocation.argument("SHELL")) else { return }
      try say(grammar.completions(for: shell), terminator: "")
    }
  }

  private static var man: ProgramCommand {
    ProgramCommand(
      syntax: CommandSyntax(
        ["man"], "print the manual page",
        examples: [
          .init("postilion man | man -l -", "Reads it."),
          .init(
            "postilion man > /usr/local/share/man/man1/postilion.1",
            "Puts it where man postilion finds it."),
        ])
    ) { _ throws(Exit) in try say(ManualPage(grammar).text, terminator: "") }
  }

  private static var version: ProgramCommand {
    ProgramCommand(
      syntax: CommandSyntax(
        ["version"], "print the version",
        examples: [.init("postilion version", "Prints the version of this program.")])
    ) { _ throws(Exit) in try say("postilion \(Service.version)") }
  }
}

/// All commands of the program.
let grammar = Grammar(
  program: "postilion",
  summary: "Device-token registry and notification localization for Apple platforms.",
  version: Service.version,
  sections: [
    .init("The service", Configuration.Command.allCases.map(\.syntax)),
    .init("Calls of a service", ClientCommand.all.map(\.syntax)),
    .init("The program", ProgramCommand.all.map(\.syntax)),
  ],
  groups: ClientCommand.groups, chapters: ClientCommand.chapters,
  examples: [
    .init("postilion demo", "Serves a sample app to look at."),
    .init(
      "postilion app create food --bundle-id com.example.food",
      "Makes an app in the service that POSTILION_URL and POSTILION_KEY name."),
    .init(
      "postilion catalog push . --app food --build 417",
      "Uploads the strings of the project in this folder."),
  ])
