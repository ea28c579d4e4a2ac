import Foundation
import Testing

extension Quickstart {
  /// Runs the commands in one shell.
  /// - Parameters:
  ///   - home: The working directory.
  ///   - programs: Directories that stand before those of `PATH`.
  ///   - replacing: What the document has, and what this machine has in its place.
  ///   - services: A script with the commands of other services.
  /// - Returns: What each printed, line by line, as the document would have it.
  func outputs(
    in home: URL, programs: [String], replacing: [(document: String, machine: String)],
    services: String? = nil
  ) async throws -> [[String]] {
    let mark = "-- end of a command --"
    let script = home.appendingPathComponent("commands")
    let output = home.appendingPathComponent("output")
    let commands = steps.map { step in
      replacing.reduce(step.command) { $0.replacingOccurrences(of: $1.document, with: $1.machine) }
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
    bash.environment = ["HOME": home.path, "PATH": (programs + [path]).joined(separator: ":")]
    bash.standardInput = FileHandle.nullDevice
    bash.standardOutput = handle
    bash.standardError = handle
    let end = bash.ended
    try bash.run()
    for await _ in end {}

    let text = try String(contentsOf: output, encoding: .utf8)
    let said = replacing.reduce(text) {
      $0.replacingOccurrences(of: $1.machine, with: $1.document)
    }
    return said.components(separatedBy: "\n\(mark)\n").dropLast().map { part in
      var lines = part.components(separatedBy: "\n")
      if lines.last == "" { lines.removeLast() }
      return lines
    }
  }

  /// Compares outputs with those of the document, or writes them into it.
  func compare(_ outputs: [[String]], with file: URL) throws {
    try #require(outputs.count == steps.count, "the shell ended early")
    if ProcessInfo.processInfo.environment["POSTILION_UPDATE_GOLDENS"] == "1" {
      try text(outputs: outputs).write(to: file, atomically: true, encoding: .utf8)
      return
    }
    for (step, output) in zip(steps, outputs) {
      #expect(
        output.map(Quickstart.normalized) == step.output.map(Quickstart.normalized),
        "\(file.lastPathComponent):\(step.line): \(step.command)")
    }
  }
}
