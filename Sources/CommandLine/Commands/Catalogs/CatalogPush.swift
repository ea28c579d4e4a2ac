internal import ASCII
internal import CatalogFormats
internal import CommandLineGrammar
internal import JSON
internal import Localization

/// Finds the string files of an app, checks them as the service does, and uploads them.
enum CatalogPush {
  private static let place = ArgumentSyntax(
    "DIR", "a project's folder, or an .xcloc, .app, .xcarchive, .ipa, .zip or string file",
    .directory)

  private static let options = [
    OptionSyntax(
      "exclude", "PATH", "a file or folder below DIR to leave out; may be given several times",
      .file, isRepeated: true),
    OptionSyntax(
      "target", "NAME",
      "the target whose strings are meant, if not all but extensions and tests; may be given "
        + "several times",
      isRepeated: true),
    OptionSyntax(
      "fail-on", "WHAT",
      "error (an entry that cannot be read), warning, or the code of a warning that counts as an "
        + "error, such as argument_missing; may be given several times",
      standard: "a file that cannot be read at all", isRepeated: true),
  ]

  static let command = ClientCommand(
    CommandSyntax(
      ["catalog", "push"], "upload the strings of a build",
      details: [
        "Finds .xcstrings, .strings, .stringsdict and .xliff below DIR, and passes over hidden "
          + "folders, build products, Pods, Carthage and node_modules. The build number comes "
          + "from the .xcodeproj or the Info.plist of a built app unless --build says it.",
        "An app reads the strings of its own bundle: files in folders that are named after "
          + "extensions, App Clips, watch apps and tests of the project are left out, and a line "
          + "says so. --target names the targets whose files are meant instead.",
        "The files are checked first. Diagnostics go to standard error as those of a compiler, "
          + "file:line:column. An entry that cannot be read is left out. With a file that cannot "
          + "be read at all, or anything that --fail-on names, the exit code is 65, and nothing "
          + "is uploaded.",
        "A build that is there already is replaced: what is not among the files is gone, and a "
          + "line names it. With --add the other files of the build stay.",
      ],
      arguments: [place],
      options: [
        SharedOptions.app,
        OptionSyntax("build", "BUILD", "the build that these strings are in", standard: "found"),
        OptionSyntax(switch: "add", "replace only these files, and keep the others of the build"),
        OptionSyntax(switch: "dry-run", "check only, and say what would be uploaded"),
      ] + options,
      examples: [
        .init(
          "postilion catalog push . --app food --build 417",
          "Uploads the strings of the project in this folder as those of build 417."),
        .init(
          "postilion catalog push Food.ipa --app food",
          "Uploads those of a built app, under its own build number."),
        .init(
          "postilion catalog push . --app food --fail-on argument_missing",
          "Fails also when a translation leaves an argument out."),
      ])
  ) { session throws(Exit) in
    let invocation = session.invocation
    let threshold = try DiagnosticReport.Threshold(invocation.values("fail-on"))
    let found = try search(session)
    let (app, build) = (try session.app(), try found.build(invocation.value("build")))
    let settings = try session.api().call("GET", .app(app))
    let language = settings.json["development_language"]?.text ?? "en"
    for other in found.developmentLanguages where !LanguageMatcher.isSame(other, language) {
      session.terminal.warn(
        "The project is written in \(Printable.line(other)), the app \(app) in "
          + "\(language): postilion app change \(app) --development-language "
          + "\(Printable.line(other)).")
    }
    let names = [app] + ["name", "bundle_id"].compactMap { settings.json[$0]?.text }
    let report = check(found, language, appNames: names, threshold)
    try tell(report, found, session, end: "Nothing was uploaded.")
    let content = try UploadBody(found.files, read: report.result.files).content
    let files = DiagnosticReport.count(found.files.count, "file")
    if invocation.has("dry-run") {
      return session.terminal.tell("\(files) would be uploaded as build \(build) of \(app).")
    }
    try push(found, content, report, to: app, build, session)
  }

  static let check = ClientCommand(
    offline: CommandSyntax(
      ["catalog", "check"], "check string files without a service",
      details: ["What catalog push does before it uploads. It needs no service and no key."],
      arguments: [place],
      options: [
        OptionSyntax(
          "development-language", "LANGUAGE", "the language that the others are compared with",
          standard: "that of the project, else en")
      ] + options,
      examples: [
        .init(
          "postilion catalog check . --fail-on warning",
          "Fails when there is anything odd about the strings.")
      ])
  ) { session throws(Exit) in
    let threshold = try DiagnosticReport.Threshold(session.invocation.values("fail-on"))
    let found = try search(session)
    let language =
      session.invocation.value("development-language") ?? found.developmentLanguages.first ?? "en"
    let report = check(found, language, threshold)
    try tell(report, found, session, end: "")
    let files = DiagnosticReport.count(found.files.count, "file")
    session.terminal.tell("\(files), \(report.counts).")
  }

  private static func search(_ session: Session) throws(Exit) -> StringFiles {
    let invocation = session.invocation
    let found = try StringFileSearch.found(
      at: invocation.argument("DIR"), excluding: invocation.values("exclude"),
      targets: invocation.values("target"))
    let (files, targets) = found.leftOut
    if files > 0 {
      let noun = targets.count == 1 ? "the target" : "the targets"
      session.terminal.tell(
        Printable.line(
          "Left out \(DiagnosticReport.count(files, "file")) of \(noun) "
            + "\(targets.joined(separator: ", ")); --target chooses others."))
    }
    return found
  }

  private static func check(
    _ found: StringFiles, _ language: String, appNames: [String] = [],
    _ threshold: DiagnosticReport.Threshold
  ) -> DiagnosticReport {
    let result = CatalogImporter.read(
      found.files, developmentLanguage: language, appNames: appNames, lints: true)
    return DiagnosticReport(result: result, threshold: threshold)
  }

  private static func tell(
    _ report: DiagnosticReport, _ found: StringFiles, _ session: Session, end: String
  ) throws(Exit) {
    for line in report.lines(session.terminal, shown: found.shown) { session.terminal.tell(line) }
    guard !report.fails else {
      let sentence = end.isEmpty ? "" : " \(end)"
      throw Exit(ExitCode.data, "\(report.counts).\(sentence)")
    }
  }

  private static func push(
    _ found: StringFiles, _ content: API.Content, _ report: DiagnosticReport, to app: String,
    _ build: String, _ session: Session
  ) throws(Exit) {
    let adds = session.invocation.has("add")
    let path = APIPath.app(app, "catalogs", build)
      .with("strict", report.threshold == .files ? nil : "true")
    let answer = try session.api().call(adds ? "PATCH" : "PUT", path, content)
    if let loss = loss(answer.json) {
      let advice = adds ? "" : " With --add the other files of a build stay."
      session.terminal.warn(Printable.line("Build \(build) lost \(loss).\(advice)"))
    }
    var report = report
    // The answer is about the build: with --add also about files of others, which are not told.
    let isWhole = !adds || answer.status == 201
    let sent = Set((found.files + report.result.files).map { Spelling($0.path) })
    for line in report.add(
      answer.json["diagnostics"]?.elements ?? [], shown: found.shown,
      of: { isWhole || sent.contains($0) })
    {
      session.terminal.tell(line)
    }
    if session.wantsJSON { return try session.show(answer) }
    let languages = answer.json["languages"]?.elements.count ?? 0
    let keys =
      answer.json["key_count"]?.cell == "1"
      ? "1 key" : "\(answer.json["key_count"]?.cell ?? "0") keys"
    let verb = answer.status == 201 ? "Uploaded" : adds ? "Added to" : "Replaced"
    try session.terminal.say(
      "\(verb) build \(build) of \(app): \(DiagnosticReport.count(found.files.count, "file")), "
        + "\(DiagnosticReport.count(languages, "language")), \(keys), \(report.counts).")
  }

  /// What went with the strings before, in words; `nil` when nothing did.
  private static func loss(_ json: JSONValue) -> String? {
    let languages = (json["removed_languages"]?.elements ?? []).map(\.cell)
    let keys = (json["removed_keys"]?.elements ?? []).map { $0["key"]?.cell ?? "" }
    let count = Int(json["removed_key_count"]?.cell ?? "") ?? keys.count
    var parts: [String] = []
    if !languages.isEmpty {
      let noun = languages.count == 1 ? "the language" : "the languages"
      parts.append("\(noun) \(languages.joined(separator: ", "))")
    }
    if !keys.isEmpty {
      let shown = keys.prefix(CommandLimits.namedKeys).joined(separator: ", ")
      let more = count > CommandLimits.namedKeys ? ", …" : ""
      parts.append("\(DiagnosticReport.count(count, "key")) (\(shown)\(more))")
    }
    return parts.isEmpty ? nil : parts.joined(separator: " and ")
  }
}
