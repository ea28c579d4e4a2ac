internal import CommandLineGrammar
internal import DeviceProfile
internal import Glibc
internal import HTTPClient
internal import JSON
internal import Records

/// `postilion import`: devices from an export of ours or of another service, tried first.
enum ImportCommand {
  static let command = ClientCommand(
    CommandSyntax(
      ["import"], "bring in devices, after a dry run",
      details: [
        "The file is an export of Postilion, or with --format one of another service, which is "
          + "brought into the form of an export here: JSON, a record on each line or an array, or "
          + "CSV. First all of it is tried, and what would happen is shown, by the lines of the "
          + "file. When records would be rejected, nothing is imported and the exit code is 65, "
          + "unless --skip-rejected leaves them out.",
        "An import may be sent again: what is there already is left alone.",
        "A table of your own needs --map for each column that counts. A column can be: "
          + OwnTable.parts.map(\.key).joined(separator: ", ")
          + ". Commas, semicolons or tabs are between the cells.",
      ],
      arguments: [
        ArgumentSyntax("FILE", "the file with the records; - is standard input", .file)
      ],
      options: [
        SharedOptions.app,
        OptionSyntax(
          "format", "WORD", "the service that the records are from",
          .words([native] + ForeignFormat.all.map(\.name) + [table]),
          standard: "native, with --map table"),
        OptionSyntax(
          "map", "NAME=COLUMN", "which column of your own table holds NAME", isRepeated: true),
        OptionSyntax(
          "default", "NAME=TEXT", "the value for rows of the table where NAME is empty",
          isRepeated: true),
        OptionSyntax(
          "environment", "WORD", "the environment of records that do not name one",
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
    let conversion = try conversion(session)
    let file = try ImportFile(session.invocation.argument("FILE"))
    let isDry = session.invocation.has("dry-run")
    let tried = try send(file, conversion, session, isDry: true)
    if !session.wantsJSON || !isDry {
      session.terminal.tell("Tried: \(counts(tried)).")
      tell(tried, session.terminal)
    }
    if isDry, session.wantsJSON { try session.terminal.write(tried.json + [UInt8(ascii: "\n")]) }
    if tried.rejected > 0, !session.invocation.has("skip-rejected") {
      throw Exit(
        ExitCode.data,
        "\(DiagnosticReport.count(tried.rejected, "record")) would be rejected; "
          + "nothing was imported. --skip-rejected imports the others.")
    }
    if isDry { return }
    let done = try send(file, conversion, session, isDry: false)
    if session.wantsJSON {
      try session.terminal.write(done.json + [UInt8(ascii: "\n")])
    } else {
      try session.terminal.say("Imported: \(counts(done)).")
    }
    guard done.rejected > tried.rejected else { return }
    tell(done, session.terminal)
    if let exit = failure(done.rejected, skips: session.invocation.has("skip-rejected")) {
      throw exit
    }
  }

  /// The end of an import that rejected records which the try had taken: something has changed.
  static func failure(_ rejected: Int, skips: Bool) -> Exit? {
    guard !skips else { return nil }
    return Exit(
      ExitCode.data,
      "\(DiagnosticReport.count(rejected, "record")) could not be imported, though the try took "
        + "them all; the others are imported.")
  }

  private static let (native, table) = ("native", "table")

  /// What makes native lines of the file; `nil` when it has them already.
  private static func conversion(_ session: Session) throws(Exit) -> ForeignConversion? {
    let invocation = session.invocation
    let columns = try Assignments.texts(invocation.values("map"), option: "--map")
    let defaults = try Assignments.texts(invocation.values("default"), option: "--default")
    let hasTable = !columns.isEmpty || !defaults.isEmpty
    let name = invocation.value("format") ?? (hasTable ? table : native)
    guard name == table || !hasTable else {
      throw Exit(ExitCode.usage, "--map and --default are for a table of your own alone.")
    }
    guard name != native else {
      guard invocation.value("environment") == nil else {
        throw Exit(
          ExitCode.usage, "--environment is for records of other services; native ones have it.")
      }
      return nil
    }
    let app = try session.app()
    let environment =
      invocation.value("environment").flatMap(Environment.init(rawValue:)) ?? .production
    let now = Int64(time(nil)) * 1_000_000
    if let format = ForeignFormat.all.first(where: { $0.name == name }) {
      return ForeignConversion(format, app: app, environment: environment, now: now)
    }
    return ForeignConversion(
      try OwnTable(columns: columns, defaults: defaults), app: app, environment: environment,
      now: now)
  }

  /// Sends the file once.
  private static func send(
    _ file: ImportFile, _ conversion: ForeignConversion?, _ session: Session, isDry: Bool
  ) throws(Exit) -> ImportReport {
    let progress = Progress(session.terminal, .bytes, total: file.size)
    defer { progress.finish() }
    let reading = try ImportReading(file, conversion, progress)
    let path = APIPath.app(try session.app(), "installations", "import")
      .with("dry_run", isDry ? "true" : nil)
    let isCSV = conversion == nil && file.path.hasSuffix(".csv")
    let content = API.Content(
      type: isCSV ? "text/csv" : "application/x-ndjson",
      body: .stream(reading.fill))
    do throws(Exit) {
      let answer = ImportReport(try session.api().call("POST", path, content).json)
      return reading.conversion?.completed(answer) ?? answer
    } catch {
      throw reading.failure ?? error
    }
  }

  private static func counts(_ report: ImportReport) -> String {
    "\(report.accepted) accepted, \(report.updated) updated, \(report.unchanged) unchanged, "
      + "\(report.rejected) rejected"
  }

  /// The first records of each reason as a compiler would say it, and how many have it.
  private static func tell(_ report: ImportReport, _ terminal: Terminal) {
    let kinds: [(ImportReport.Cost, String, Terminal.Style, [ImportReport.Remark])] = [
      (.notice, "note:", .bold, []), (.ignored, "warning:", .yellow, report.ignored),
      (.error, "error:", .red, report.errors),
    ]
    for (cost, word, style, remarks) in kinds {
      for reason in report.reasons where reason.cost == cost {
        for line in reason.lines {
          let remark = remarks.first { $0.line == line && $0.code == reason.code }
          let fault = Problem.Fault(
            place: remark?.pointer ?? "", detail: remark?.detail ?? reason.detail,
            code: reason.code)
          terminal.tell(
            "line \(line): \(terminal.onError(word, style)) \(Printable.line(fault.line))")
        }
        guard reason.count > reason.lines.count else { continue }
        terminal.tell("… \(reason.count) records in all: \(reason.code)")
      }
    }
  }
}
