internal import CommandLineGrammar
internal import Glibc
internal import HTTPClient
internal import JSON

/// `postilion import`: devices from an export of ours or of another service, tried first.
enum ImportCommand {
  static let command = ClientCommand(
    CommandSyntax(
      ["import"], "bring in devices, after a dry run",
      details: [
        "The file is JSON, a record on each line or an array, or CSV. First all of it is tried, "
          + "and what would happen is shown. When the service would reject records, nothing is "
          + "imported and the exit code is 65, unless --skip-rejected leaves them out.",
        "An import may be sent again: what is there already is left alone.",
        "A table of your own needs --map for each column that counts. A column can be: token, "
          + "user, languages, locale, time_zone, platform, environment, app_version, app_build, "
          + "os_version, device_model, tags, attributes.NAME, installation_id, created_at, "
          + "updated_at, last_seen_at. Commas, semicolons or tabs are between the cells.",
      ],
      arguments: [ArgumentSyntax("FILE", "the file with the records", .file)],
      options: [
        SharedOptions.app,
        OptionSyntax(
          "format", "WORD", "the service that the records are from",
          .words(["native", "aerogear", "parse", "onesignal", "pinpoint", "azure", "table"]),
          standard: "native, with --map table"),
        OptionSyntax(
          "map", "NAME=COLUMN", "what a column of a table of your own is", isRepeated: true),
        OptionSyntax(
          "default", "NAME=TEXT", "what counts where a row of the table has nothing",
          isRepeated: true),
        OptionSyntax(
          "environment", "WORD", "of records that do not say it",
          .words(["production", "sandbox"]), standard: "production"),
        OptionSyntax(switch: "dry-run", "try only"),
        OptionSyntax(switch: "skip-rejected", "import the others when records are rejected"),
      ],
      examples: [
        .init("postilion import devices.ndjson --app food", "Restores an export."),
        .init(
          "postilion import users.csv --app food --format onesignal --dry-run",
          "Shows what would become of an export of OneSignal."),
        .init(
          "postilion import --map token=device_token --map user=user_id table.csv --app food",
          "Brings in a table of your own."),
      ])
  ) { session throws(Exit) in
    let invocation = session.invocation
    let tried = try run(session, isDry: true)
    let rejected = tried.json["rejected"] ?? .integer(0)
    let isDry = invocation.has("dry-run")
    if !session.wantsJSON || !isDry {
      session.terminal.tell("Tried: \(counts(tried.json)).")
      tell(tried.json, session.terminal)
    }
    if isDry, session.wantsJSON { try session.show(tried) }
    if rejected != .integer(0), !invocation.has("skip-rejected") {
      throw Exit(
        ExitCode.data,
        "\(rejected.cell) \(rejected == .integer(1) ? "record" : "records") would be rejected; "
          + "nothing was imported. --skip-rejected imports the others.")
    }
    if isDry { return }
    let done = try run(session, isDry: false)
    if session.wantsJSON { return try session.show(done) }
    try session.terminal.say("Imported: \(counts(done.json)).")
  }

  private static func counts(_ json: JSONValue) -> String {
    ["accepted", "updated", "unchanged", "rejected"].map { "\(json[$0]?.cell ?? "0") \($0)" }
      .joined(separator: ", ")
  }

  /// The first records of each reason as a compiler would say it, and how many have it.
  private static func tell(_ json: JSONValue, _ terminal: Terminal) {
    let words: [String: (String, Terminal.Style)] = [
      "notice": ("note:", .bold), "ignored": ("warning:", .yellow), "error": ("error:", .red),
    ]
    for kind in ["notice", "ignored", "error"] {
      guard let (word, style) = words[kind] else { continue }
      let listed = json[kind == "error" ? "errors" : kind]?.elements ?? []
      for reason in json["reasons"]?.elements ?? [] where reason["kind"]?.text == kind {
        let lines = reason["lines"]?.elements ?? []
        for line in lines {
          let known = listed.first { $0["line"] == line && $0["code"] == reason["code"] }
          terminal.tell(
            "line \(line.cell): \(terminal.onError(word, style)) "
              + Printable.line(Problem.Fault(known ?? reason).line))
        }
        guard case .integer(let count)? = reason["count"], count > lines.count else { continue }
        terminal.tell("… \(count) records in all: \(reason["code"]?.cell ?? "")")
      }
    }
  }

  /// What an option says of a table, as the service reads it.
  private static func table(_ session: Session, _ option: String) throws(Exit) -> String? {
    let words = session.invocation.values(option)
    if words.isEmpty { return nil }
    var writer = JSONWriter()
    writer.value(.object(try Assignments.texts(words, option: "--\(option)")))
    return writer.text
  }

  private static func run(_ session: Session, isDry: Bool) throws(Exit) -> API.Answer {
    let file = session.invocation.argument("FILE")
    guard file != "-" else {
      throw Exit(
        ExitCode.usage, "import reads its file twice, so it cannot be standard input.")
    }
    let descriptor = try InputFile.opened(file)
    defer { close(descriptor) }
    var status = stat()
    fstat(descriptor, &status)
    let progress = Progress(session.terminal, .bytes, total: Int(status.st_size))
    defer { progress.finish() }
    let path = APIPath.app(try session.app(), "installations", "import")
      .with("format", session.invocation.value("format"))
      .with("environment", session.invocation.value("environment"))
      .with("map", try table(session, "map"))
      .with("default", try table(session, "default"))
      .with("dry_run", isDry ? "true" : nil)
    let type = file.hasSuffix(".csv") ? "text/csv" : "application/x-ndjson"
    let body = HTTPRequest.Body.stream { room in
      let count = read(descriptor, room.baseAddress, room.count)
      if count > 0 { progress.advance(by: count) }
      return count < 0 ? nil : count
    }
    return try session.api().call("POST", path, API.Content(type: type, body: body))
  }
}
