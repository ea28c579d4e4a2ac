import AppTesting
import Dispatch
import Foundation
import Synchronization
import Testing

/// The real program, as an operator runs it.
final class RunningProcess: Sendable {
  private let process: Foundation.Process
  /// The pipes that are not read to their end yet.
  private let open = DispatchGroup()
  private let output = Mutex("")
  private let errors = Mutex("")
  /// Signalled with each piece of standard output, and at its end.
  private let news = DispatchSemaphore(value: 0)
  private let isOutputOver = Atomic(false)

  /// Starts the program that was built beside the tests, or the one that `POSTILION_TEST_PROGRAM`
  /// names, such as a release.
  /// - Parameters:
  ///   - output: What its standard output is, in place of a pipe that is read.
  ///   - errors: The same of its standard error.
  ///   - readsErrors: Whether anybody reads its standard error; it is a pipe all the same.
  ///   - descriptors: How many it begins with, and how many it may take; `nil` is as ever.
  init(
    _ arguments: [String], environment: [String: String] = [:], output: FileHandle? = nil,
    errors: FileHandle? = nil, readsErrors: Bool = true,
    descriptors: (first: Int, limit: Int)? = nil
  ) throws {
    process = Foundation.Process()
    let program = try Self.program()
    if let descriptors {
      process.executableURL = URL(filePath: "/bin/sh")
      let command =
        "ulimit -Sn \(descriptors.first) && ulimit -Hn \(descriptors.limit) && exec \"$@\""
      process.arguments = ["-c", command, "sh", program.path] + arguments
    } else {
      process.executableURL = program
      process.arguments = arguments
    }
    let inherited = ProcessInfo.processInfo.environment.filter {
      !$0.key.hasPrefix("POSTILION_") && $0.key != "DATABASE_URL"
    }
    process.environment = inherited.merging(environment) { $1 }
    let (out, err) = (Pipe(), Pipe())
    process.standardOutput = output as Any? ?? out
    process.standardError = errors as Any? ?? err
    try process.run()
    if output == nil { readOutput(out) }
    guard readsErrors, errors == nil else { return }
    read(err) { [self] text in self.errors.withLock { $0 += text ?? "" } }
  }

  private func readOutput(_ pipe: Pipe) {
    read(pipe) { [self] text in
      if let text {
        output.withLock { $0 += text }
      } else {
        isOutputOver.store(true, ordering: .sequentiallyConsistent)
      }
      news.signal()
    }
  }

  /// Reads a pipe to its end, which is `nil`, on a thread of its own.
  private func read(_ pipe: Pipe, _ append: @escaping @Sendable (String?) -> Void) {
    let handle = pipe.fileHandleForReading
    let open = open
    open.enter()
    Thread.detachNewThread {
      while case let bytes = handle.availableData, !bytes.isEmpty {
        append(String(decoding: bytes, as: UTF8.self))
      }
      append(nil)
      open.leave()
    }
  }

  /// What it wrote to standard output.
  var standardOutput: String { output.withLock { $0 } }
  /// What it wrote to standard error.
  var standardError: String { errors.withLock { $0 } }

  /// Waits for the ready line, and until the database answers in time: after a start that may take
  /// a while on a busy machine.
  /// - Returns: The port in the line.
  func ready() async throws -> UInt16 {
    let port = try await listening()
    try await eventually { try await get(port, "/readyz").status == 200 }
    return port
  }

  private func listening() async throws -> UInt16 {
    try await blocking { [self] in
      let deadline = DispatchTime.now() + .seconds(300)
      while true {
        let isOver = isOutputOver.load(ordering: .sequentiallyConsistent)
        if let match = standardOutput.firstMatch(of: /(?m)^ready http:\/\/127\.0\.0\.1:(\d+)$/),
          let port = UInt16(match.output.1)
        {
          return port
        }
        guard !isOver, news.wait(timeout: deadline) == .success else {
          throw NeverReady(description: standardOutput + standardError)
        }
      }
    }
  }

  /// It ended, or said nothing for five minutes.
  struct NeverReady: Error, CustomStringConvertible { let description: String }

  var identifier: pid_t { process.processIdentifier }

  /// Sends a signal.
  func signal(_ number: Int32) { kill(identifier, number) }

  /// Waits for its end.
  /// - Returns: Its exit status, or 128 + the signal.
  func end() async throws -> Int32 {
    try await blocking { [process, open] in
      process.waitUntilExit()
      open.wait()
      return process.terminationReason == .exit
        ? process.terminationStatus : 128 + process.terminationStatus
    }
  }

  static func program() throws -> URL {
    if let path = ProcessInfo.processInfo.environment["POSTILION_TEST_PROGRAM"] {
      return URL(fileURLWithPath: path)
    }
    let beside =
      [
        Bundle.main.executableURL, Bundle.main.bundleURL,
        CommandLine.arguments.first.map { URL(fileURLWithPath: $0) },
        CommandLine.arguments.last { $0.hasSuffix(".xctest") }.map { URL(fileURLWithPath: $0) },
      ].compactMap { $0?.deletingLastPathComponent() } + [
        Sources.root.appending(path: ".build/debug")
      ]
    let programs = beside.map { $0.appending(path: "postilion") }
    guard
      let program = programs.first(where: { FileManager.default.isExecutableFile(atPath: $0.path) })
    else { throw NeverReady(description: "There is no program beside the tests: \(programs)") }
    return program
  }
}
