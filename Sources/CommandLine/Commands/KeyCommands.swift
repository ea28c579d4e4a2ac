internal import CommandLineGrammar
internal import JSON

/// API keys of an app, and root keys.
enum KeyCommands {
  static let all = [create, list, revoke]

  private static let root = OptionSyntax(switch: "root", "root keys, instead of an app's")

  private static func path(_ session: Session) throws(Exit) -> APIPath {
    session.invocation.has("root") ? APIPath("keys") : .app(try app(session), "keys")
  }

  private static func app(_ session: Session) throws(Exit) -> String {
    try session.app(or: "; of a root key --root")
  }

  static let create = ClientCommand(
    CommandSyntax(
      ["key", "create"], "make a key and print it",
      details: [
        "The key goes to standard output, alone on its line, and is shown this once: the service "
          + "keeps its hash. A client key ships inside the app, a sender key is for the backend, "
          + "an admin key for people and tools; a root key sees all apps."
      ],
      arguments: [
        ArgumentSyntax(
          "KIND", "client, sender, admin or root", .words(["client", "sender", "admin", "root"]))
      ],
      options: [
        SharedOptions.app,
        OptionSyntax("label", "TEXT", "for people, to know it later; a root key needs one"),
      ],
      examples: [
        .init(
          "POSTILION_KEY=$(postilion key create admin --app food --label ci)",
          "Keeps an admin key in a variable.")
      ])
  ) { session throws(Exit) in
    let kind = session.invocation.argument("KIND")
    var members: JSONObject = [:]
    members["label"] = session.invocation.value("label").map { .string($0) }
    let path: APIPath
    if kind == "root" {
      path = APIPath("keys")
    } else {
      path = .app(try session.app(), "keys")
      members["kind"] = .string(kind)
    }
    let answer = try session.api().call("POST", path, .json(members))
    if session.wantsJSON { return try session.show(answer) }
    try session.terminal.say(answer.json["key"]?.text ?? "")
    let id = answer.json["id"]?.text ?? ""
    session.terminal.tell("This \(kind) key has the id \(id) and is not shown again.")
  }

  static let list = ClientCommand(
    CommandSyntax(
      ["key", "list"], "list keys without their secrets, oldest first",
      details: [
        "The last use is written once an hour, so that a key may have been used an hour later than "
          + "it says."
      ],
      options: [SharedOptions.app, root],
      examples: [.init("postilion key list --app food", "The revoked ones, too.")])
  ) { session throws(Exit) in
    try session.list(
      try path(session),
      [
        TableColumn("ID", "id"), TableColumn("KIND", "kind"), TableColumn("LABEL", "label"),
        TableColumn("LAST USED", "last_used_at"), TableColumn("CREATED", "created_at"),
        TableColumn("REVOKED", "revoked_at"),
      ])
  }

  static let revoke = ClientCommand(
    CommandSyntax(
      ["key", "revoke"], "revoke a key for good",
      arguments: [ArgumentSyntax("ID", "the key's id, as key list shows it")],
      options: [SharedOptions.app, root, SharedOptions.dryRun],
      examples: [
        .init(
          "postilion key revoke 5f0c8e6a-2b9d-4c1e-8a37-d14f6b20c9ee --app food",
          "From now on the key is refused.")
      ])
  ) { session throws(Exit) in
    let id = session.invocation.argument("ID")
    let path: APIPath =
      session.invocation.has("root")
      ? APIPath("keys", id) : .app(try app(session), "keys", id)
    try session.delete(path, "Revoked the key \(Printable.line(id)).")
  }
}
