import Foundation

/// The Swift compiler of the toolchain that runs the tests.
struct SwiftCompiler: Sendable {
  /// There is none in the `PATH`.
  struct Missing: Error {}

  private let executable: URL

  /// The first `swiftc` of the `PATH`.
  init() throws {
    let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
    let places = path.split(separator: ":").map { URL(fileURLWithPath: "\($0)/swiftc") }
    guard let place = places.first(where: { FileManager.default.isExecutableFile(atPath: $0.path) })
    else { throw Missing() }
    executable = place
  }

  /// Runs the compiler to its end, behind all other tests.
  ///
  /// - Returns: what it said, of warnings and errors only; empty if it has nothing to say.
  func diagnostics(_ arguments: [String]) async throws -> String {
    let place = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try Data().write(to: place)
    defer { try? FileManager.default.removeItem(at: place) }
    let output = try FileHandle(forWritingTo: place)
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["nice", executable.path] + arguments
    process.standardOutput = output
    process.standardError = output
    try await withCheckedThrowingContinuation { (end: CheckedContinuation<Void, any Error>) in
      process.terminationHandler = { _ in end.resume() }
      do { try process.run() } catch { end.resume(throwing: error) }
    }
    let said = try String(contentsOf: place, encoding: .utf8)
    if process.terminationStatus == 0 { return said }
    return said.isEmpty ? "status \(process.terminationStatus)" : said
  }
}
