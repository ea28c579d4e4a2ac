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
    let rootKey = try #require(quickstart.exported("POSTILION_ROOT_KEY"))
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

    let service = try await RunningService(in: directory, rootKey: rootKey)
    let services = Quickstart.services[document].map { Sources.root.appending(path: $0).path }
    let outputs = try await run(
      quickstart.steps, at: service.address, in: home, services: services)
    #expect(await service.stop() == 0, "the service stops in order")

    try #require(outputs.count == quickstart.steps.count, "the shell ended early")
    if ProcessInfo.processInfo.environment["POSTILION_UPDATE_GOLDENS"] == "1" {
      try quickstart.text(outputs: outputs)
        .write(to: file, atomically: true, encoding: .utf8)
      return
    }
    for (step, output) in zip(quickstart.steps, outputs) {
      #expect(
        output.map(Quickstart.normalized) == step.output.map(Quickstart.normalized),
        "\(document):\(step.line): \(step.command)")
    }
  }

  /// Runs the commands in one shell, with the service's address in place of the document's.
  /// - Parameter services: A script with the commands of other services.
  /// - Returns: What each printed, line by line.
  private func run(
    _ steps: [Quickstart.Step], at address: String, in home: URL, services: String?
  ) async throws -> [[String]] {
    let mark = "-- end of a command --"
    let script = home.appendingPathComponent("commands")
    let output = home.appendingPathComponent("output")
    let commands = steps.map { step in
      step.command.replacingOccurrences(of: "http://127.0.0.1:8080", with: address)
        + "\nprintf '\\n\(mark)\\n'\n"
    }
    let beginning = services.map { "source '\($0)'\n" } ?? ""
    try (beginning + commands.joined()).write(to: script, atomically: true, encoding: .utf8)
    try Data().write(to: output)
    let handle = try FileHandle(forWritingTo: output)
    defer { try? handle.close() }

    let bash = Process()
    bash.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    bash.arguments = ["bash", script.path]
    bash.currentDirectoryURL = home
    let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
    let programs = try FileManager.default.executableDirectory.path
    bash.environment = ["HOME": home.path, "PATH": "\(programs):\(path)"]
    bash.standardInput = FileHandle.nullDevice
    bash.standardOutput = handle
    bash.standardError = handle
    let end = bash.ended
    try bash.run()
    for await _ in end {}

    let text = try String(contentsOf: output, encoding: .utf8)
    return text.components(separatedBy: "\n\(mark)\n").dropLast().map { part in
      var lines = part.components(separatedBy: "\n")
      if lines.last == "" { lines.removeLast() }
      return lines
    }
  }
}
