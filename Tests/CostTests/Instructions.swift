import CValgrind
import Foundation

/// The instructions of steps, which callgrind counts: no clock, so no busy machine changes them.
///
/// The program of the tests is started once more, under Valgrind, and runs the steps in place of
/// the tests. It is a copy without symbols: Valgrind does not read those that Swift writes.
enum Instructions {
  /// Whether they can be counted here.
  static let canBeCounted = postilion_knows_valgrind() == 1 && program("valgrind") != nil

  /// Why there is no count.
  struct Failure: Error {
    let output: String
  }

  /// Runs all readers; the instructions of each by its name and the size of what it read.
  static func ofReaders() throws -> [String: Int] {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("postilion-readers-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let copy = folder.appendingPathComponent("tests").path
    let executable = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    try run(["strip", "--strip-all", "-o", copy, executable])
    try run([
      "env", "POSTILION_COUNT_READERS=1", "SWIFT_DETERMINISTIC_HASHING=1",
      "valgrind", "--tool=callgrind", "--instr-atstart=no",
      "--callgrind-out-file=\(folder.path)/counts", copy,
    ])
    var counts: [String: Int] = [:]
    for name in try FileManager.default.contentsOfDirectory(atPath: folder.path)
    where name.hasPrefix("counts.") {
      let text = try String(
        decoding: Data(contentsOf: folder.appendingPathComponent(name)), as: UTF8.self)
      let told = text.split(separator: "\n").prefix { !$0.hasPrefix("fl=") && !$0.hasPrefix("fn=") }
      func value(_ key: String) -> Substring? {
        told.first { $0.hasPrefix(key) }?.dropFirst(key.count)
      }
      guard let step = value("desc: Trigger: Client Request: "),
        let count = value("summary: ").flatMap({ Int($0) })
      else { continue }
      counts[String(step)] = count
    }
    return counts
  }

  private static func program(_ name: String) -> String? {
    (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
      .map { "\($0)/\(name)" }.first { FileManager.default.isExecutableFile(atPath: $0) }
  }

  private static func run(_ command: [String]) throws {
    let process = Process()
    let output = Pipe()
    process.executableURL = URL(fileURLWithPath: program(command[0]) ?? command[0])
    process.arguments = Array(command.dropFirst())
    process.standardOutput = output
    process.standardError = output
    try process.run()
    let told = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
      throw Failure(output: String(decoding: told, as: UTF8.self))
    }
  }
}

/// What runs under Valgrind: each reader reads what is small, and what is four times as large.
@_cdecl("postilion_count_readers") public func countReaders() {
  let steps = (Reader.all + [.byRegex, .bySquare]).flatMap { reader in
    reader.sizes.map { (name: "\(reader.name) \($0)", run: reader.prepare($0)) }
  }
  // What happens the first time, such as making a table, is no work of the reader.
  for step in steps { step.run() }
  postilion_start_counting()
  for step in steps {
    postilion_count_from_zero()
    step.run()
    postilion_write_count(step.name)
  }
}
