import Foundation
import Testing

/// Every command of the quickstarts prints the output that stands below it.
/// `POSTILION_UPDATE_GOLDENS=1` writes the outputs anew.
@Suite struct QuickstartTests {
  @Test(.timeLimit(.minutes(10)), arguments: Quickstart.documents)
  func theCommandsPrintWhatIsShown(document: String) async throws {
    let file = Sources.root.appending(path: document)
    let text = try String(contentsOf: file, encoding: .utf8)
    let quickstart = Quickstart(text)
    let directory = FileManager.default.temporaryDirectory
      .appendingPathComponent("postilion quickstart \(UUID().uuidString)")
    let home = directory.appendingPathComponent("home")
    try FileManager.default.createDirectory(at: home, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: directory) }
    for path in Quickstart.files[document] ?? [] {
      let file = Sources.root.appending(path: path)
      try FileManager.default.copyItem(
        at: file, to: home.appendingPathComponent(file.lastPathComponent))
    }

    let preparation = try #require(quickstart.preparation)
    let prepared = try await ShellScript(
      text: preparation + #"; printf %s "$POSTILION_ROOT_KEY_FILE""#,
      environment: [
        "HOME": home.path, "PATH": ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin",
      ]
    ).run()
    let service = try await RunningService(
      in: directory, rootKeyFile: String(decoding: prepared.output, as: UTF8.self))
    let outputs = try await quickstart.outputs(
      in: home, programs: [try FileManager.default.executableDirectory.path],
      replacing: [("http://127.0.0.1:8080", service.address)],
      services: Quickstart.services[document].map { Sources.root.appending(path: $0).path })
    #expect(await service.stop() == 0, "the service stops in order")
    try quickstart.compare(outputs, with: file)
  }
}
