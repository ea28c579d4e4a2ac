import Foundation
import Testing

/// How large the house is. `bench/budget.json` has the most that there may be: a change that needs
/// more raises the figure, and its commit says why.
@Suite struct BudgetTests {
  private typealias Figures = [String: [String: Int]]

  /// Lines of each target, types of statements, and words of documents in each folder.
  private static var present: Figures {
    var lines: [String: Int] = [:]
    var statements = 0
    for file in Repository.files where file.isSource && file.isSwift && file.target != "" {
      lines[file.target, default: 0] += file.lines.count - 1
      let types = file.code.filter { $0.contains(/\b(?:struct|enum) \w+.*: .*\bStatement\b.*\{/) }
      statements += types.count
    }
    var words: [String: Int] = [:]
    for file in Repository.documents where file.path.hasSuffix(".md") {
      let count = file.lines.reduce(0) { $0 + $1.split(whereSeparator: \.isWhitespace).count }
      words[file.directory.isEmpty ? file.path : String(file.directory), default: 0] += count
    }
    // It tells what has changed, and grows.
    words["CHANGELOG.md"] = nil
    return ["lines": lines, "types": ["Statement": statements], "words": words]
  }

  private static func budget() throws -> Figures {
    let file = Repository.root.appendingPathComponent("bench/budget.json")
    return try JSONDecoder().decode(Figures.self, from: Data(contentsOf: file))
  }

  @Test func nothingIsLargerThanItMayBe() throws {
    let (present, budget) = (Self.present, try Self.budget())
    for (kind, figures) in present {
      for (name, count) in figures {
        let most = budget[kind]?[name] ?? 0
        #expect(
          count <= most,
          "\(kind) of \(name): look for what the new replaces, or raise it in bench/budget.json.")
        // A figure that nothing comes near bounds nothing.
        #expect(
          most <= count + count / 20 + 20, "\(kind) of \(name): lower it in bench/budget.json.")
      }
    }
    for (kind, figures) in budget {
      let gone = Set(figures.keys).subtracting(present[kind]?.keys.map { $0 } ?? [])
      #expect(gone == [], "\(kind): take it out of bench/budget.json.")
    }
  }
}
