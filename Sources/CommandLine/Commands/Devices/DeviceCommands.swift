internal import CommandLineGrammar
internal import JSON

/// Installations: one app on one device.
enum DeviceCommands {
  static let all = [list, show, why, history, token, tag, delete]

  static let id = ArgumentSyntax("ID", "the installation's id, as the app logs it")

  static let filter = OptionSyntax(
    "filter", "NAME=VALUE",
    "only devices for which this holds, such as language=fr, tag=beta or "
      + "app_version[gte]=3.2; may be given several times",
    isRepeated: true)

  private static func path(_ session: Session, _ rest: String...) throws(Exit) -> APIPath {
    let id = session.invocation.argument("ID")
    var path = APIPath.app(try session.app(), "installations", id)
    for segment in rest { path.add(segment) }
    return path
  }

  static let list = ClientCommand(
    CommandSyntax(
      ["device", "list"], "list devices",
      options: [
        SharedOptions.app, filter,
        OptionSyntax(
          "sort", "ORDER", "what they are sorted by; - in front turns it round",
          .words(
            ["created_at", "last_seen_at", "updated_at", "registered_at", "installation_id"]
              .flatMap { [$0, "-\($0)"] }), standard: "created_at"),
      ],
      examples: [
        .init("postilion device list --app food --filter user=u42", "The devices of a person."),
        .init(
          "postilion device list --app food --filter token=740f4707",
          "Those whose token begins so."),
      ])
  ) { session throws(Exit) in
    let path = try session.filtered(.app(session.app(), "installations"))
    try session.list(
      path.with("sort", session.invocation.value("sort")),
      [
        TableColumn("ID", "installation_id"), TableColumn("PLATFORM", "platform"),
        TableColumn("USER") { $0["user"]?["id"]?.cell ?? "-" },
        TableColumn("LANGUAGES", "languages"), TableColumn("BUILD", "app_build"),
        TableColumn("SYSTEM", "os_version"), TableColumn("TOKENS", tokens),
        TableColumn("SEEN", "last_seen_at"),
      ])
  }

  /// `apns active, voip invalid`.
  private static func tokens(_ item: JSONValue) -> String {
    guard case .object(let kinds)? = item["credentials"] else { return "-" }
    let words = kinds.sorted { $0.key < $1.key }.compactMap { kind, credential in
      credential["status"]?.text.map { "\(kind) \($0)" }
    }
    return words.isEmpty ? "-" : words.joined(separator: ", ")
  }

  static let show = ClientCommand(
    CommandSyntax(
      ["device", "show"], "show all that is known of a device", arguments: [id],
      options: [SharedOptions.app],
      examples: [
        .init(
          "postilion device show 5f0c8e6a-2b9d-4c1e-8a37-d14f6b20c9ee --app food",
          "Its profile, tokens, languages and times.")
      ])
  ) { session throws(Exit) in
    try session.show(session.api().call("GET", path(session)))
  }

  static let why = ClientCommand(
    CommandSyntax(
      ["device", "why"], "explain what a device would get, and why",
      details: ["Renders the message for the device; nothing is sent."],
      arguments: [id, MessageCommands.message],
      options: [SharedOptions.app, MessageCommands.argument],
      examples: [
        .init(
          "postilion device why 5f0c8e6a-2b9d-4c1e-8a37-d14f6b20c9ee food_ready --app food "
            + "--argument name=Zoé",
          "The text, the language, and the tests that chose the form.")
      ])
  ) { session throws(Exit) in
    var members = try MessageCommands.members(session)
    members["to"] = .object(["installation": .string(session.invocation.argument("ID"))])
    members["explain"] = .bool(true)
    let answer = try session.api().call(
      "POST", .app(try session.app(), "render"), .json(members))
    if session.wantsJSON { return try session.show(answer) }
    for line in RenderExplanation(answer.json).lines { try session.terminal.say(line) }
  }

  static let history = ClientCommand(
    CommandSyntax(
      ["device", "history"], "list what happened to the tokens of a device, newest first",
      arguments: [id], options: [SharedOptions.app],
      examples: [
        .init(
          "postilion device history 5f0c8e6a-2b9d-4c1e-8a37-d14f6b20c9ee --app food",
          "Also of a device that was deleted.")
      ])
  ) { session throws(Exit) in
    try session.list(path(session, "history"), events)
  }

  static let token = ClientCommand(
    CommandSyntax(
      ["device", "token"], "list where a token was, newest first",
      arguments: [ArgumentSyntax("TOKEN", "the whole token in hex digits")],
      options: [SharedOptions.app],
      examples: [
        .init(
          "postilion device token 740f4707bebcf74f9b7c25d48e3358945f6aa01da5ddb387462c7eaf61bb78ad "
            + "--app food",
          "The first line says where it is now, or why it is nowhere.")
      ])
  ) { session throws(Exit) in
    let token = session.invocation.argument("TOKEN")
    try session.list(.app(try session.app(), "tokens", token, "history"), events)
  }

  private static let events = [
    TableColumn("AT", "at"), TableColumn("EVENT", "event"), TableColumn("KIND", "kind"),
    TableColumn("ENVIRONMENT", "environment"), TableColumn("REASON", "reason"),
    TableColumn("DEVICE", "installation_id"), TableColumn("FROM", "from_installation_id"),
  ]

  static let tag = ClientCommand(
    CommandSyntax(
      ["device", "tag"], "add and remove tags of a device", arguments: [id],
      options: [SharedOptions.app] + Tags.options,
      examples: [
        .init(
          "postilion device tag 5f0c8e6a-2b9d-4c1e-8a37-d14f6b20c9ee --app food --add vip",
          "Leaves its other tags as they are.")
      ])
  ) { session throws(Exit) in
    try session.show(
      session.api().call("POST", path(session, "tags"), .json(Tags.members(session))))
  }

  static let delete = ClientCommand(
    CommandSyntax(
      ["device", "delete"], "delete a device with its tokens", arguments: [id],
      options: [SharedOptions.app, SharedOptions.dryRun],
      examples: [
        .init(
          "postilion device delete 5f0c8e6a-2b9d-4c1e-8a37-d14f6b20c9ee --app food",
          "The history of its tokens stays.")
      ])
  ) { session throws(Exit) in
    try session.delete(path(session), "Deleted the device.")
  }
}

/// Changes of tags.
enum Tags {
  static let options = [
    OptionSyntax("add", "TAG", "a tag to add; may be given several times", isRepeated: true),
    OptionSyntax("remove", "TAG", "a tag to remove; may be given several times", isRepeated: true),
  ]

  static func members(_ session: Session) throws(Exit) -> JSONObject {
    var members: JSONObject = [:]
    for name in ["add", "remove"] {
      let tags = session.invocation.values(name)
      if !tags.isEmpty { members[name] = .array(tags.map { .string($0) }) }
    }
    guard !members.isEmpty else {
      throw Exit(ExitCode.usage, "\(session.invocation.command.name) needs --add or --remove.")
    }
    return members
  }
}
