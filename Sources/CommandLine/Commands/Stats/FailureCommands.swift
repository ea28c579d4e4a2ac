internal import CommandLineGrammar
internal import JSON

/// What apps heard when a registration failed, and what APNs told about tokens.
enum FailureCommands {
  static let all = [list, summary, send, breakers, close]

  private static let filter = OptionSyntax(
    "filter", "NAME=VALUE",
    "only failures for which this holds, such as kind=apns, code=3000 or "
      + "since=2026-11-01T00:00:00Z; may be given several times", isRepeated: true)

  private static func path(_ session: Session, _ rest: String...) throws(Exit) -> APIPath {
    var path = APIPath.app(try session.app(), "failures")
    for segment in rest { path.add(segment) }
    return try session.filtered(path)
  }

  static let list = ClientCommand(
    CommandSyntax(
      ["failures", "list"], "list the failures that apps reported, newest first",
      options: [SharedOptions.app, filter],
      examples: [
        .init("postilion failures list --app food --filter kind=apns", "Failed registrations.")
      ])
  ) { session throws(Exit) in
    try session.list(
      path(session),
      [
        TableColumn("AT", "occurred_at"), TableColumn("KIND", "kind"),
        TableColumn("DOMAIN") { $0["error"]?["domain"]?.cell ?? "-" },
        TableColumn("CODE") { $0["error"]?["code"]?.cell ?? "-" },
        TableColumn("APP", "app_version"), TableColumn("SYSTEM", "os_version"),
        TableColumn("DEVICE", "installation_id"),
        TableColumn("MESSAGE") { $0["error"]?["message"]?.cell ?? "-" },
      ])
  }

  static let summary = ClientCommand(
    CommandSyntax(
      ["failures", "summary"], "count failures by what they have in common",
      options: [
        SharedOptions.app, filter,
        OptionSyntax(
          "group-by", "NAMES",
          "what makes a group, with commas: kind, domain, code, app_version, os_version, platform, "
            + "environment, day", standard: "code"),
      ],
      examples: [
        .init(
          "postilion failures summary --app food --group-by code,app_version",
          "Whether a release has broken it.")
      ])
  ) { session throws(Exit) in
    let groups = session.invocation.value("group-by")
    let answer = try session.api().call(
      "GET", path(session, "summary").with("group_by", groups))
    if session.wantsJSON { return try session.show(answer) }
    let names = (answer.json["group_by"]?.elements ?? []).compactMap(\.text)
    var table = TextTable(
      [TableColumn("COUNT", "count"), TableColumn("DEVICES", "installations")]
        + names.map { TableColumn($0.uppercased().replacing("_", with: " "), $0) }
        + [TableColumn("LAST", "last_occurred_at")],
      isTerminal: session.terminal.isOutputTerminal)
    let items = answer.json["items"]?.elements ?? []
    for line in items.flatMap({ table.add($0) }) + table.finish() {
      try session.terminal.say(line)
    }
  }

  static let send = ClientCommand(
    CommandSyntax(
      ["feedback", "send"], "report what APNs answered",
      arguments: [
        ArgumentSyntax("FILE", "a body of the API or of gorush's hook; - is standard input", .file)
      ],
      options: [
        SharedOptions.app,
        OptionSyntax(
          "environment", "WORD", "the environment that gorush sends to; results name their own",
          .words(["production", "sandbox"])),
      ],
      examples: [
        .init(
          "postilion feedback send results.json --app food", "Shows what was decided of each token."
        )
      ])
  ) { session throws(Exit) in
    let bytes = try InputFile.bytes(
      session.invocation.argument("FILE"), limit: CommandLimits.smallFileBytes)
    let environment = session.invocation.value("environment")
    var path = APIPath.app(try session.app(), "feedback")
    if JSONValue(parsing: bytes)?["results"] == nil {
      path.add("gorush")
    } else if environment != nil {
      throw Exit(
        ExitCode.usage, "--environment is for a body of gorush's hook; each result names its own.")
    }
    let answer = try session.api().call(
      "POST", path.with("environment", environment), .json(bytes))
    try session.show(answer)
  }

  static let breakers = ClientCommand(
    CommandSyntax(
      ["feedback", "breakers"], "show whether refusals of tokens are believed",
      options: [SharedOptions.app],
      examples: [.init("postilion feedback breakers --app food", "For each environment.")])
  ) { session throws(Exit) in
    try session.show(session.api().call("GET", .app(try session.app(), "feedback", "breakers")))
  }

  static let close = ClientCommand(
    CommandSyntax(
      ["feedback", "close"], "believe refusals of tokens again",
      arguments: [
        ArgumentSyntax(
          "ENVIRONMENT", "production or sandbox", .words(["production", "sandbox"]))
      ],
      options: [SharedOptions.app, SharedOptions.dryRun],
      examples: [
        .init("postilion feedback close production --app food", "Once the sender is mended.")
      ])
  ) { session throws(Exit) in
    let word = session.invocation.argument("ENVIRONMENT")
    try session.delete(
      .app(try session.app(), "feedback", "breakers", word),
      "Refusals of \(word) tokens are believed again.")
  }
}
