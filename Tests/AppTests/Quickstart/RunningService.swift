import Foundation

/// The real program as a process of its own, with a database of its own in a directory.
final class RunningService {
  /// Where it listens, as its ready line says.
  let address: String
  private let process: Process
  private let end: AsyncStream<Int32>

  struct NotReady: Error {
    var output: String
  }

  /// Starts the program that was built beside this test, and waits until it is ready.
  init(in directory: URL, rootKeyFile: String) async throws {
    let process = Process()
    process.executableURL = try FileManager.default.executableDirectory
      .appendingPathComponent("postilion")
    process.arguments = ["serve", "--listen", "127.0.0.1:0", "--log-level", "error"]
    process.environment = ProcessInfo.processInfo.environment.merging([
      "POSTILION_DATA_DIR": directory.appendingPathComponent("data directory").path,
      "POSTILION_ROOT_KEY_FILE": rootKeyFile, "DATABASE_URL": "",
      // Of a busy machine five are few.
      "POSTILION_DATABASE_TIMEOUT_SECONDS": "60",
    ]) { $1 }
    let output = Pipe()
    process.standardOutput = output
    end = process.ended
    try process.run()
    var said = ""
    for await piece in output.fileHandleForReading.pieces {
      said += piece
      if said.hasSuffix("\n"), said.contains("ready ") { break }
    }
    guard let ready = said.split(separator: "\n").first(where: { $0.hasPrefix("ready ") }) else {
      throw NotReady(output: said)
    }
    address = String(ready.dropFirst("ready ".count))
    self.process = process
  }

  /// Asks it to stop.
  /// - Returns: Its exit status.
  func stop() async -> Int32 {
    process.terminate()
    for await status in end { return status }
    return -1
  }
}

extension FileManager {
  /// Where the running program lies.
  var executableDirectory: URL {
    get throws {
      URL(fileURLWithPath: try destinationOfSymbolicLink(atPath: "/proc/self/exe"))
        .deletingLastPathComponent()
    }
  }
}

extension Process {
  /// The exit status, once there is one; to be asked for before the start.
  var ended: AsyncStream<Int32> {
    let (stream, continuation) = AsyncStream.makeStream(of: Int32.self)
    terminationHandler = { process in
      continuation.yield(process.terminationStatus)
      continuation.finish()
    }
    return stream
  }
}

extension FileHandle {
  /// What arrives, as text, until the end.
  fileprivate var pieces: AsyncStream<String> {
    AsyncStream { continuation in
      readabilityHandler = { handle in
        let data = handle.availableData
        if data.isEmpty {
          continuation.finish()
          handle.readabilityHandler = nil
        } else {
          continuation.yield(String(decoding: data, as: UTF8.self))
        }
      }
      continuation.onTermination = { [weak self] _ in self?.readabilityHandler = nil }
    }
  }
}
