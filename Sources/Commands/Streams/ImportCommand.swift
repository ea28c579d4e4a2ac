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
      ],
      arguments: [ArgumentSyntax("FILE", "the file with the records", .file)],
      options: [
        SharedOptions.app,
        OptionSyntax(
          "format", "WORD", "the service that the records are from",
          .words(["native", "aerogear", "parse", "onesignal", "pinpoint", "azure"]),
          standard: "native"),
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
        "\(rejected.cell) records would be rejected; nothing was imported. --skip-rejected imports "
          + "the others.")
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

  /// Each rejected record as a compiler would say it.
  private static func tell(_ json: JSONValue, _ terminal: Terminal) {
    for (list, word, style) in [
      ("ignored", "warning:", Terminal.Style.yellow), ("errors", "error:", .red),
    ] {
      for problem in json[list]?.elements ?? [] {
        terminal.tell(
          "line \(problem["line"]?.cell ?? "?"): \(terminal.onError(word, style)) "
            + Printable.line(Problem.Fault(problem).line))
      }
    }
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
      .with("dry_run", isDry ? "true" : nil)
    let type = file.hasSuffix(".csv") ? "text/csv" : "application/x-ndjson"
    let body = HTTPRequest.Body.stream(length: nil) { room in
      let count = read(descriptor, room.baseAddress, room.count)
      if count > 0 { progress.advance(by: count) }
      return count < 0 ? nil : count
    }
    return try session.api().call("POST", path, API.Content(type: type, body: body))
  }
}
