internal import CatalogFormats
internal import CommandLineGrammar
internal import JSON

/// Catalogs: the string tables of an app's builds.
enum CatalogCommands {
  static let all = [CatalogPush.command, CatalogPush.check, list, show, download, delete]

  private static let version = ArgumentSyntax("BUILD", "the build, or the version of the app")

  static let list = ClientCommand(
    CommandSyntax(
      ["catalog", "list"], "list the builds whose strings were uploaded",
      options: [SharedOptions.app],
      examples: [
        .init("postilion catalog list --app food", "Builds, languages, keys and warnings."),
        .init(
          "postilion catalog list --app food --json | jq -r '.items[].version'",
          "The builds alone."),
      ])
  ) { session throws(Exit) in
    try session.list(
      .app(try session.app(), "catalogs"),
      [
        TableColumn("BUILD", "version"), TableColumn("KEYS", "key_count"),
        TableColumn("LANGUAGES") { String($0["languages"]?.elements.count ?? 0) },
        TableColumn("WARNINGS") { String($0["diagnostics"]?.elements.count ?? 0) },
        TableColumn("WRITTEN IN", "development_language"), TableColumn("UPLOADED", "created_at"),
      ])
  }

  static let show = ClientCommand(
    CommandSyntax(
      ["catalog", "show"], "show the languages of a build, and what is odd about its strings",
      arguments: [version], options: [SharedOptions.app],
      examples: [.init("postilion catalog show 417 --app food", "Shows the build 417.")])
  ) { session throws(Exit) in
    let build = session.invocation.argument("BUILD")
    try session.show(
      session.api().call("GET", .app(try session.app(), "catalogs", build)))
  }

  static let download = ClientCommand(
    CommandSyntax(
      ["catalog", "download"], "write the string files of a build, as they were uploaded",
      details: ["It is one archive, which catalog push takes."], arguments: [version],
      options: [
        SharedOptions.app,
        OptionSyntax("output", "FILE", "a new file", .file, standard: "strings-BUILD.zip"),
      ],
      examples: [
        .init(
          "postilion catalog download 417 --app food --output food-417.zip",
          "Writes those of the build 417 to a file.")
      ])
  ) { session throws(Exit) in
    let build = session.invocation.argument("BUILD")
    let file = session.invocation.value("output") ?? "strings-\(build).zip"
    let output = try OutputFile(file)
    let path = APIPath.app(try session.app(), "catalogs", build, "files")
    try output.write(session.api().call("GET", path).body)
    try output.finish()
    session.terminal.tell(Printable.line("Wrote \(file)."))
  }

  static let delete = ClientCommand(
    CommandSyntax(
      ["catalog", "delete"], "delete the strings of a build", arguments: [version],
      options: [SharedOptions.app, SharedOptions.dryRun],
      examples: [
        .init("postilion catalog delete 398 --app food", "Deletes those of a build of the past.")
      ])
  ) { session throws(Exit) in
    let build = session.invocation.argument("BUILD")
    try session.delete(
      .app(try session.app(), "catalogs", build),
      "Deleted the strings of build \(Printable.line(build)).")
  }
}
