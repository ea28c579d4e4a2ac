import Foundation

/// A script for bash, as a test runs it.
struct ShellScript {
  let text: String
  var options: [String] = []
  var directory: String?
  var environment: [String: String] = [:]

  /// Runs it to its end: its status, and all that it wrote. It writes to a file: another program
  /// that starts meanwhile may hold a pipe open.
  func run() async throws -> (status: Int32, output: Data) {
    let file = FileManager.default.temporaryDirectory
      .appending(path: "postilion script \(UUID().uuidString)")
    try Data().write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    let handle = try FileHandle(forWritingTo: file)
    defer { try? handle.close() }
    let bash = Process()
    bash.executableURL = URL(fileURLWithPath: "/bin/bash")
    bash.arguments = options + ["-c", text]
    if let directory { bash.currentDirectoryURL = URL(fileURLWithPath: directory) }
    bash.environment = environment
    bash.standardInput = FileHandle.nullDevice
    bash.standardOutput = handle
    bash.standardError = handle
    let end = bash.ended
    try bash.run()
    for await _ in end {}
    return (bash.terminationStatus, try Data(contentsOf: file))
  }
}
