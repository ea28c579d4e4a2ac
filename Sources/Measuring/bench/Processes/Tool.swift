internal import Foundation

/// Runs a program to its end.
enum Tool {
  /// What a program wrote and used.
  struct Result: Sendable {
    let output: String
    /// Processor time, in seconds.
    let cpuSeconds: Double
  }

  /// Runs a program; anything but success is a fault that shows the end of its output.
  static func run(
    _ command: [String], seconds: Double, in directory: WorkDirectory
  ) throws(Fault) -> Result {
    let file = directory.file("tool.log")
    let name = command[0].split(separator: "/").last ?? ""
    do throws(Fault) {
      let end = try Child.start(command, output: file).wait(seconds: seconds)
      let output = (try? String(contentsOfFile: file, encoding: .utf8)) ?? ""
      guard end.status == 0 else {
        throw Fault("it ended with \(end.status): \(output.suffix(500))")
      }
      return Result(output: output, cpuSeconds: end.cpuSeconds)
    } catch {
      throw Fault("\(name): \(error.reason)")
    }
  }

  /// The path of a PostgreSQL client program: of the newest version, or from `PATH`.
  static func postgres(_ program: String) -> String {
    let versions = (try? FileManager.default.contentsOfDirectory(atPath: "/usr/lib/postgresql"))
    let newest = (versions ?? []).compactMap { Int($0) }.max()
    let path = newest.map { "/usr/lib/postgresql/\($0)/bin/\(program)" } ?? program
    return access(path, X_OK) == 0 ? path : program
  }
}
