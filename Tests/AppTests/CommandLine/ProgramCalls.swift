import AppTesting
import Foundation

/// The program with a service to call, and a home of its own.
final class ProgramCalls: Sendable {
  let app: TestApp
  /// A directory for files of the test, which is also the home.
  let directory = NSTemporaryDirectory() + "command line \(UUID().uuidString)"

  /// What a command left behind.
  struct Result {
    var status: Int32
    var output: String
    var errors: String

    /// The output as JSON.
    var json: AppTesting.JSON { JSON(parsing: Array(output.utf8)) }
  }

  init() async throws {
    app = try await TestApp.make(.socket)
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: directory) }

  /// The address of the service.
  var url: String { "http://127.0.0.1:\(app.service.port)" }

  /// Makes files in the directory.
  func make(_ files: [String: String]) throws {
    for (path, text) in files {
      let url = URL(filePath: "\(directory)/\(path)")
      try FileManager.default.createDirectory(
        at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data(text.utf8).write(to: url)
    }
  }

  /// Runs a command to its end, about the app and with its admin key unless the environment says
  /// otherwise.
  func run(_ arguments: [String], _ environment: [String: String] = [:]) async throws -> Result {
    let process = try RunningProcess(
      arguments,
      environment: [
        "POSTILION_URL": url, "POSTILION_KEY": app.keys["admin"] ?? "",
        "POSTILION_APP": app.slug, "HOME": directory, "XDG_CONFIG_HOME": "", "NO_PROXY": "*",
      ].merging(environment) { $1 })
    let status = try await process.end()
    return Result(
      status: status, output: process.standardOutput, errors: process.standardError)
  }
}
