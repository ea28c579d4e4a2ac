internal import Foundation

/// Single steps by the instructions that they take, which no other program's noise changes.
///
/// Valgrind counts those of this very program running one step a few times and many times; the
/// difference is that of the steps between. The counts that were agreed on are stored in
/// `bench/instructions.json`; a step that takes a fifth more fails the bench.
enum Instructions {
  private static let stored = "bench/instructions.json"
  /// How much more than agreed on is a regression.
  private static let tolerance = 1.2

  static func rows(updates: Bool) throws(Fault) -> [Row] {
    let directory = try WorkDirectory("instructions")
    var agreed = updates ? [:] : try load()
    let operations = try Operation.all()
    var rows: [Row] = []
    for operation in operations {
      let count = try count(operation, in: directory)
      if updates { agreed[operation.name] = count }
      rows.append(
        Row(
          name: "instructions", what: operation.name, value: Double(count), unit: "each",
          reference: "agreed on", referenceValue: agreed[operation.name].map(Double.init),
          bar: agreed[operation.name].map {
            .most(first: Double($0) * tolerance, goal: Double($0) * tolerance)
          } ?? .none))
    }
    if updates { try save(agreed) }
    return rows
  }

  /// Runs one step so many times: what Valgrind looks at.
  static func run(_ name: String, times: Int) throws(Fault) -> Int {
    guard let operation = try Operation.all().first(where: { $0.name == name }) else {
      throw Fault("there is no step \(name)")
    }
    var sum = 0
    for _ in 0..<times { sum &+= try operation.run() }
    return sum
  }

  private static func count(
    _ operation: Operation, in directory: WorkDirectory
  ) throws(Fault) -> Int {
    let (few, many) = operation.bytes == nil ? (100, 600) : (1, 4)
    let difference =
      try instructions(operation.name, times: many, in: directory)
      - instructions(operation.name, times: few, in: directory)
    return difference / (many - few)
  }

  private static func instructions(
    _ name: String, times: Int, in directory: WorkDirectory
  ) throws(Fault) -> Int {
    let output = try Tool.run(
      [
        "env", "SWIFT_DETERMINISTIC_HASHING=1",
        "valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null",
        CommandLine.arguments[0], "--run", name, "--times", String(times),
      ], seconds: 300, in: directory
    ).output
    // "==12== Collected : 123456"
    guard let line = output.split(separator: "\n").last(where: { $0.contains("Collected : ") }),
      let count = line.split(separator: " ").last.flatMap({ Int($0) })
    else {
      throw Fault("Valgrind told no count: \(output.suffix(300))")
    }
    return count
  }

  private static func load() throws(Fault) -> [String: Int] {
    do {
      return try JSONDecoder().decode(
        [String: Int].self, from: Data(contentsOf: URL(fileURLWithPath: stored)))
    } catch {
      throw Fault("cannot read \(stored): \(error)")
    }
  }

  private static func save(_ counts: [String: Int]) throws(Fault) {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
    do {
      var data = try encoder.encode(counts)
      data.append(UInt8(ascii: "\n"))
      try data.write(to: URL(fileURLWithPath: stored))
    } catch {
      throw Fault("cannot write \(stored): \(error)")
    }
  }
}
