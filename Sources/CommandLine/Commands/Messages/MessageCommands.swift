internal import CommandLineGrammar
internal import JSON

/// Notifications that the backend names.
enum MessageCommands {
  static let all = [list, show, put, delete, preview]

  /// A message in another command.
  static let message = ArgumentSyntax(
    "MESSAGE", "the name of a stored message, or a file of one that ends in .json", .file)

  static let argument = OptionSyntax(
    "argument", "NAME=TEXT",
    "the value of a parameter; NAME:=JSON for what is no text; may be given several times",
    isRepeated: true)

  private static let name = ArgumentSyntax("NAME", "the message's name")

  /// The message and its arguments, as bodies have them.
  static func members(_ session: Session) throws(Exit) -> JSONObject {
    let word = session.invocation.argument("MESSAGE")
    var members: JSONObject = [:]
    members["message"] = word.hasSuffix(".json") ? try InputFile.json(word) : .string(word)
    let arguments = try Assignments.json(
      session.invocation.values("argument"), option: "--argument")
    if !arguments.isEmpty { members["arguments"] = .object(arguments) }
    return members
  }

  static let list = ClientCommand(
    CommandSyntax(
      ["message", "list"], "list the messages", options: [SharedOptions.app],
      examples: [.init("postilion message list --app food", "By name.")])
  ) { session throws(Exit) in
    try session.list(
      .app(try session.app(), "messages"),
      [
        TableColumn("NAME", "name"), TableColumn("VERSION", "version"),
        TableColumn("CHANGED", "updated_at"),
      ])
  }

  static let show = ClientCommand(
    CommandSyntax(
      ["message", "show"], "show a message with its warnings", arguments: [name],
      options: [SharedOptions.app],
      examples: [.init("postilion message show food_ready --app food", "As it was stored.")])
  ) { session throws(Exit) in
    let name = session.invocation.argument("NAME")
    try session.show(session.api().call("GET", .app(try session.app(), "messages", name)))
  }

  static let put = ClientCommand(
    CommandSyntax(
      ["message", "put"], "store or replace a message",
      details: ["Its keys are compared with the catalogs; what these lack is a warning."],
      arguments: [
        name, ArgumentSyntax("FILE", "the message as JSON; - is standard input", .file),
      ],
      options: [
        SharedOptions.app,
        OptionSyntax(switch: "dry-run", "say what is wrong with it, and store nothing"),
      ],
      examples: [
        .init(
          "postilion message put food_ready food_ready.json --app food", "Stores the message.")
      ])
  ) { session throws(Exit) in
    let invocation = session.invocation
    let name = invocation.argument("NAME")
    let bytes = try InputFile.bytes(
      invocation.argument("FILE"), limit: CommandLimits.smallFileBytes)
    let path = APIPath.app(try session.app(), "messages", name)
    let isDry = invocation.has("dry-run")
    let answer = try session.api().call(
      "PUT", path.with("dry_run", isDry ? "true" : nil), .json(bytes))
    for warning in answer.json["warnings"]?.elements ?? [] {
      session.terminal.warn(Printable.line(warning.cell))
    }
    if session.wantsJSON { return try session.show(answer) }
    let version = answer.json["version"]?.cell ?? ""
    try session.terminal.say(
      isDry
        ? "The message \(name) can be stored." : "Stored the message \(name), version \(version).")
  }

  static let delete = ClientCommand(
    CommandSyntax(
      ["message", "delete"], "delete a message", arguments: [name],
      options: [SharedOptions.app, SharedOptions.dryRun],
      examples: [.init("postilion message delete food_ready --app food", "For good.")])
  ) { session throws(Exit) in
    let name = session.invocation.argument("NAME")
    try session.delete(
      .app(try session.app(), "messages", name),
      "Deleted the message \(Printable.line(name)).")
  }

  static let preview = ClientCommand(
    CommandSyntax(
      ["preview"], "show what a message says in every language",
      details: ["Needs no device and stores nothing. Text from right to left is set apart."],
      arguments: [message],
      options: [
        SharedOptions.app, argument,
        OptionSyntax(
          "language", "LANGUAGE", "one that somebody prefers; may be given several times",
          standard: "all", isRepeated: true),
        OptionSyntax("build", "BUILD", "whose strings are used", standard: "the last upload"),
      ],
      examples: [
        .init(
          "postilion preview food_ready --app food --argument name=Zoé --argument count:=3",
          "A line for each language.")
      ])
  ) { session throws(Exit) in
    var members = try members(session)
    let languages = session.invocation.values("language")
    if !languages.isEmpty { members["languages"] = .array(languages.map { .string($0) }) }
    members["app_version"] = session.invocation.value("build").map { .string($0) }
    let answer = try session.api().call(
      "POST", .app(try session.app(), "preview"), .json(members))
    if session.wantsJSON { return try session.show(answer) }
    var table = TextTable(
      [
        TableColumn("LANGUAGE", "language"), TableColumn("TEXTS OF", "chosen"),
        TableColumn("TITLE", "title"), TableColumn("BODY", "body"), TableColumn("MODE", "mode"),
        TableColumn("BYTES", "payload_bytes"),
        TableColumn("PROBLEMS") { item in
          (item["problems"]?.elements ?? []).compactMap { $0["code"]?.text }
            .joined(separator: " ")
        },
      ], isTerminal: session.terminal.isOutputTerminal, isolates: true)
    for item in answer.json["languages"]?.elements ?? [] {
      for line in table.add(item) { try session.terminal.say(line) }
    }
    for line in table.finish() { try session.terminal.say(line) }
  }
}
