import AppTesting
import Foundation
import Testing

/// The workflow for GitHub Actions of `docs/command-line.md`, run as a runner runs it: each `run`
/// of a job by `bash -e`, in the checked-out project, until one fails.
@Suite struct WorkflowTests {
  private static let english = "\"READY\" = \"%@, your order is ready at %@.\";\n"

  /// The workflow as it stands in the document.
  private static func workflow() throws -> JSON {
    let text = try String(
      contentsOf: Sources.root.appending(path: "docs/command-line.md"), encoding: .utf8)
    let section = try #require(text.components(separatedBy: "### GitHub Actions\n").last)
    let block = section.components(separatedBy: "```")[1]
    return try JSON(yaml: Array(block.drop { $0 != "\n" }.utf8))
  }

  /// The scripts of a job, and its environment.
  private static func job(
    _ name: String
  ) throws -> (scripts: [String], environment: [String: String]) {
    let job = try workflow()["jobs"][name]
    let environment = job["env"].names.map { ($0, job["env"][$0].string ?? "") }
    return (
      job["steps"].elements.compactMap { $0["run"].string }, Dictionary(environment) { $1 }
    )
  }

  /// What a step said.
  private struct Result {
    var status: Int32
    var output: String
  }

  /// Runs a job with the values that GitHub fills in; its name for the app is that of the test.
  private func run(_ name: String, in line: ProgramCalls) async throws -> Result {
    let (scripts, environment) = try Self.job(name)
    try #require(!scripts.isEmpty)
    func filled(_ text: String) -> String {
      text.replacing("${{ github.run_number }}", with: "12")
        .replacing("${{ secrets.POSTILION_KEY }}", with: line.app.keys["admin"] ?? "")
        .replacing("https://push.example.com", with: line.url)
        .replacing("--app food", with: "--app \(line.app.slug)")
    }
    var said = ""
    for script in scripts {
      let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
      let programs = try FileManager.default.executableDirectory.path
      let (status, output) = try await ShellScript(
        text: filled(script), options: ["-e"], directory: line.directory,
        environment: environment.mapValues(filled).merging([
          "PATH": "\(programs):\(path)", "HOME": line.directory, "NO_PROXY": "*",
        ]) { $1 }
      ).run()
      said += String(decoding: output, as: UTF8.self)
      guard status == 0 else { return Result(status: status, output: said) }
    }
    return Result(status: 0, output: said)
  }

  @Test func aMissingArgumentInOneLanguageFailsTheJob() async throws {
    let line = try await ProgramCalls()
    try line.make([
      "App/en.lproj/Localizable.strings": Self.english,
      "App/de.lproj/Localizable.strings": "\"READY\" = \"%@, deine Bestellung: %@.\";\n",
      "App/fr.lproj/Localizable.strings": "\n\"READY\" = \"Votre commande est prête : %@.\";\n",
    ])
    let failed = try await run("check", in: line)
    #expect(failed.status == 65)
    let lines = failed.output.split(separator: "\n")
    // The path from the root of the project, with line and column.
    #expect(
      lines.first?.hasPrefix("App/fr.lproj/Localizable.strings:2:1: error: 'READY' in fr ") == true,
      "\(failed.output)")
    #expect(lines.first?.hasSuffix("[argument_missing]") == true)
    #expect(lines.count == 2)
    // The second job needs the first.
    #expect(try Self.workflow()["jobs"]["upload"]["needs"] == "check")

    try line.make([
      "App/fr.lproj/Localizable.strings": "\"READY\" = \"%@, votre commande est prête : %@.\";\n"
    ])
    #expect(try await run("check", in: line).status == 0)
    let uploaded = try await run("upload", in: line)
    #expect(uploaded.status == 0, "\(uploaded.output)")
    #expect(uploaded.output.hasPrefix("Uploaded build 12 of \(line.app.slug): 3 files"))
    #expect(try await line.app.admin.get("\(line.app.path)/catalogs/12").status == 200)
  }
}
