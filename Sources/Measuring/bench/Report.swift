internal import Foundation

/// Everything that was measured, and what could not be.
struct Report: Encodable {
  private(set) var rows: [Row] = []
  private(set) var unavailable: [String: String] = [:]

  mutating func add(_ measured: [Row]) { rows += measured }

  /// Whether everything could be measured and no step takes more instructions than agreed on.
  var isSound: Bool {
    unavailable.isEmpty
      && rows.allSatisfy { $0.name != "instructions" || $0.verdict != "below first bar" }
  }

  mutating func miss(_ name: String, _ fault: Fault) { unavailable[name] = fault.reason }

  /// Writes `results.json`.
  func write(to path: String) throws(Fault) {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    do {
      try encoder.encode(self).write(to: URL(fileURLWithPath: path))
    } catch {
      throw Fault("cannot write \(path): \(error)")
    }
  }

  /// The rows in the order of their names.
  var sorted: [Row] {
    rows.enumerated().sorted {
      switch $0.element.name.localizedStandardCompare($1.element.name) {
      case .orderedAscending: true
      case .orderedSame: $0.offset < $1.offset
      case .orderedDescending: false
      }
    }
    .map(\.element)
  }

  /// A row as it is told once it is measured.
  static func line(_ row: Row) -> String {
    let ratio = row.ratio.map { ": \(text($0)) × \(row.reference ?? "")" } ?? ""
    return "\(row.name), \(row.what): \(text(row.value)) \(row.unit)\(ratio)"
  }

  /// The table for people.
  var table: String {
    var lines = [
      [
        "", "", "value", "reference", "", "ratio", "rounds", "first bar", "goal", "", "bound",
        "share",
      ]
    ]
    for row in sorted {
      lines.append([
        row.name, row.what, "\(Self.text(row.value)) \(row.unit)", row.reference ?? "",
        row.referenceValue.map { Self.text($0) } ?? "",
        row.ratio.map { Self.text($0) } ?? "", Self.spread(row.rounds),
        Self.text(row.bar, row.bar.first),
        Self.text(row.bar, row.bar.goal), row.verdict,
        row.boundValue.map { Self.text($0) } ?? "",
        row.share.map { Self.text($0) } ?? "",
      ])
    }
    var text = Self.aligned(lines)
    let costs = sorted.filter { $0.cpuMicroseconds != nil }
    if !costs.isEmpty {
      let heads = [
        "", "", "server", "database", "load", "all", "ratio", "p50", "p99", "p99.9", "others",
      ]
      text += """

        Processor time for one operation in µs, its ratio, latency in ms, and how much of the \
        machine other programs took

        """ + Self.aligned([heads] + costs.flatMap(Self.costs))
    }
    for (name, reason) in unavailable.sorted(by: { $0.key < $1.key }) {
      text += "\n\(name): not available: \(reason)\n"
    }
    return text
  }

  private static func costs(_ row: Row) -> [[String]] {
    guard let own = row.cpuMicroseconds, let other = row.referenceCPUMicroseconds else { return [] }
    func microseconds(_ share: CPUShare) -> [String] {
      [share.server, share.database, share.load, share.all].map { text($0) }
    }
    let figures = [row.cpuRatio, row.p50Milliseconds, row.p99Milliseconds, row.p999Milliseconds]
      .map { $0.map { text($0) } ?? "" }
    let others = row.othersShare.map { "\(Int($0 * 100)) %" } ?? ""
    return [
      [row.name, row.what] + microseconds(own) + figures + [others],
      ["", row.reference ?? ""] + microseconds(other) + [""]
        + [row.referenceP50Milliseconds, row.referenceP99Milliseconds]
        .map { $0.map { text($0) } ?? "" },
    ] + (row.boundCPUMicroseconds.map { [["", "bound"] + microseconds($0)] } ?? [])
  }

  /// Three digits that matter.
  private static func text(_ number: Double) -> String {
    let digits = abs(number) >= 100 ? 0 : abs(number) >= 10 ? 1 : 2
    return String(format: "%.\(digits)f", number)
  }

  /// The lowest and the highest of some rounds.
  private static func spread(_ rounds: [Double]) -> String {
    guard rounds.count > 1, let lowest = rounds.min(), let highest = rounds.max() else { return "" }
    return "\(text(lowest)) to \(text(highest))"
  }

  private static func text(_ bar: Bar, _ number: Double?) -> String {
    guard let number else { return "" }
    return switch bar {
    case .ratio: "≥ \(text(number)) ×"
    case .least: "≥ \(text(number))"
    case .mostRatio: "≤ \(text(number)) ×"
    case .most, .none: "≤ \(text(number))"
    }
  }

  private static func aligned(_ lines: [[String]]) -> String {
    let columns = lines.map(\.count).max() ?? 0
    let widths = (0..<columns).map { column in
      lines.map { column < $0.count ? $0[column].count : 0 }.max() ?? 0
    }
    return lines.map { line in
      line.enumerated().map { column, text in
        let padding = String(repeating: " ", count: widths[column] - text.count)
        let isNumber = text.first.map { $0.isNumber || $0 == "-" } ?? false
        return isNumber ? padding + text : text + padding
      }
      .joined(separator: "  ") + "\n"
    }
    .joined()
  }
}
