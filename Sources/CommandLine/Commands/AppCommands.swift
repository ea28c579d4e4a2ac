internal import CommandLineGrammar
internal import JSON

/// Apps: one for each bundle identifier.
enum AppCommands {
  static let all = [create, list, show, change, delete]

  private static let name = ArgumentSyntax("NAME", "the app's name in addresses, such as food")

  private static let settings = [
    OptionSyntax("display-name", "TEXT", "the name for people", standard: "NAME"),
    OptionSyntax(
      "development-language", "LANGUAGE", "the language of Base.lproj, and the last resort",
      standard: "en"),
    OptionSyntax(
      "identity-verification", "WORD",
      "whether a client key must prove the people that it names",
      .words(["required", "off"]), standard: "required"),
    OptionSyntax(
      "identity-lifetime-days", "DAYS", "days ahead that a proof of a person may end at most",
      .number(1...3650), standard: "30"),
    OptionSyntax(
      "stale-after-days", "DAYS", "days without a call after which a device is deleted",
      .number(1...3650), standard: "never"),
  ]

  static let create = ClientCommand(
    CommandSyntax(
      ["app", "create"], "make an app", arguments: [name],
      options: [
        OptionSyntax(
          "bundle-id", "ID", "the bundle identifier, which is the topic of its notifications",
          isRequired: true)
      ] + settings,
      examples: [
        .init(
          "postilion app create food --bundle-id com.example.food",
          "Makes the app food; it needs a root key.")
      ])
  ) { session throws(Exit) in
    let app = session.invocation.argument("NAME")
    let answer: API.Answer
    do throws(Exit) {
      // Only if there is none: what is there is changed by another command.
      answer = try session.api().call(
        "PUT", .app(app), .json(members(session)), fields: [("If-None-Match", "*")])
    } catch {
      guard error.code == ExitCode.cannotCreate else { throw error }
      throw Exit(
        ExitCode.cannotCreate,
        "There is an app \(app) already: postilion app change \(app) changes it.")
    }
    try tell(answer, session, "Made the app \(app)")
  }

  static let change = ClientCommand(
    CommandSyntax(
      ["app", "change"], "change the settings of an app",
      details: ["Settings that you do not give stay as they are."], arguments: [name],
      options: [OptionSyntax("bundle-id", "ID", "the bundle identifier")] + settings,
      examples: [
        .init("postilion app change food --stale-after-days 400", "Changes one setting.")
      ])
  ) { session throws(Exit) in
    let app = session.invocation.argument("NAME")
    let members = members(session)
    guard !members.isEmpty else {
      throw Exit(ExitCode.usage, "app change needs a setting: postilion app change --help.")
    }
    let answer: API.Answer
    do throws(Exit) {
      // Only if there is one: a misspelt name makes no app.
      answer = try session.api().call(
        "PUT", .app(app), .json(members), fields: [("If-Match", "*")])
    } catch {
      guard error.code == ExitCode.cannotCreate else { throw error }
      throw Exit(ExitCode.noInput, "There is no app \(app): postilion app list shows all.")
    }
    try tell(answer, session, "Changed the app \(app)")
  }

  static let list = ClientCommand(
    CommandSyntax(
      ["app", "list"], "list the apps that the key sees",
      examples: [.init("postilion app list", "A root key sees all, an admin key its own.")])
  ) { session throws(Exit) in
    try session.list(
      APIPath("apps"),
      [
        TableColumn("NAME", "app"), TableColumn("BUNDLE ID", "bundle_id"),
        TableColumn("LANGUAGE", "development_language"), TableColumn("CREATED", "created_at"),
        TableColumn("WARNINGS") { item in
          (item["warnings"]?.elements ?? []).compactMap { $0["code"]?.text }
            .joined(separator: " ")
        },
      ])
  }

  static let show = ClientCommand(
    CommandSyntax(
      ["app", "show"], "show the settings of an app", arguments: [name],
      examples: [.init("postilion app show food", "Shows its settings.")])
  ) { session throws(Exit) in
    try session.show(session.api().call("GET", .app(session.invocation.argument("NAME"))))
  }

  static let delete = ClientCommand(
    CommandSyntax(
      ["app", "delete"], "delete an app with its keys, devices and catalogs",
      details: ["Nothing brings it back."], arguments: [name],
      options: [
        OptionSyntax("confirm", "NAME", "the app's name once more", isRequired: true),
        SharedOptions.dryRun,
      ],
      examples: [
        .init("postilion app delete food --confirm food", "Deletes the app and all it has.")
      ])
  ) { session throws(Exit) in
    let app = session.invocation.argument("NAME")
    guard session.invocation.value("confirm") == app else {
      throw Exit(ExitCode.usage, "--confirm names another app than \(app); nothing was deleted.")
    }
    try session.delete(.app(app), "Deleted the app \(app).")
  }

  private static func members(_ session: Session) -> JSONObject {
    var members: JSONObject = [:]
    for (option, member) in [
      ("bundle-id", "bundle_id"), ("display-name", "name"),
      ("development-language", "development_language"),
      ("identity-verification", "identity_verification"),
    ] {
      members[member] = session.invocation.value(option).map { .string($0) }
    }
    for (option, member) in [
      ("identity-lifetime-days", "identity_lifetime_days"),
      ("stale-after-days", "stale_after_days"),
    ] {
      members[member] = session.invocation.number(option).map { .integer(Int64($0)) }
    }
    return members
  }

  private static func tell(
    _ answer: API.Answer, _ session: Session, _ sentence: String
  ) throws(Exit) {
    for warning in answer.json["warnings"]?.elements ?? [] {
      session.terminal.warn(Printable.line(warning["detail"]?.text ?? ""))
    }
    if session.wantsJSON { return try session.show(answer) }
    let bundle = answer.json["bundle_id"]?.text ?? ""
    try session.terminal.say("\(sentence) (\(Printable.line(bundle))).")
  }
}
