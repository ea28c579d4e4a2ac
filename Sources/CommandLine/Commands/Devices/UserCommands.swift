internal import CommandLineGrammar
internal import JSON

/// People, by the ids that the app gives them.
enum UserCommands {
  static let all = [show, language, tag, erase]

  private static let id = ArgumentSyntax("USER", "the person's id, as the app reports it")

  private static func path(_ session: Session, _ rest: String...) throws(Exit) -> APIPath {
    var path = APIPath.app(try session.app(), "users", session.invocation.argument("USER"))
    for segment in rest { path.add(segment) }
    return path
  }

  static let show = ClientCommand(
    CommandSyntax(
      ["user", "show"], "show a person's devices, languages and what happened lately",
      arguments: [id], options: [SharedOptions.app],
      examples: [.init("postilion user show u42 --app food", "The person at a glance.")])
  ) { session throws(Exit) in
    try session.show(session.api().call("GET", path(session)))
  }

  static let language = ClientCommand(
    CommandSyntax(
      ["user", "language"], "choose the language of a person, above those of the devices",
      arguments: [
        id, ArgumentSyntax("LANGUAGE", "such as fr or zh-Hant; none takes the choice back"),
      ],
      options: [SharedOptions.app],
      examples: [.init("postilion user language u42 fr --app food", "French on all devices.")])
  ) { session throws(Exit) in
    let word = session.invocation.argument("LANGUAGE")
    let value: JSONValue = word == "none" ? .null : .string(word)
    try session.show(
      session.api().call("PUT", path(session, "language"), .json(["language": value])))
  }

  static let tag = ClientCommand(
    CommandSyntax(
      ["user", "tag"], "add and remove tags of all devices of a person", arguments: [id],
      options: [SharedOptions.app] + Tags.options,
      examples: [
        .init("postilion user tag u42 --app food --add vip --remove trial", "A change of both.")
      ])
  ) { session throws(Exit) in
    try session.show(
      session.api().call("POST", path(session, "tags"), .json(Tags.members(session))))
  }

  static let erase = ClientCommand(
    CommandSyntax(
      ["user", "erase"], "erase a person: devices, history, failures and chosen language",
      details: ["Nothing brings it back."], arguments: [id],
      options: [
        SharedOptions.app,
        OptionSyntax("confirm", "USER", "the person's id once more", isRequired: true),
        SharedOptions.dryRun,
      ],
      examples: [
        .init("postilion user erase u42 --app food --confirm u42", "Says how much was erased.")
      ])
  ) { session throws(Exit) in
    guard session.invocation.value("confirm") == session.invocation.argument("USER") else {
      throw Exit(ExitCode.usage, "--confirm names another person; nothing was erased.")
    }
    try session.delete(path(session))
  }
}
