import Foundation
import Testing

/// `docs/seeds.md` names only what there is.
@Suite struct SeedsTests {
  private static let repository = AppleStubs.root.appendingPathComponent(
    "Sources/AppLibraries/PostilionClient"
  )
  .resolvingSymlinksInPath().deletingLastPathComponent().deletingLastPathComponent()
  .deletingLastPathComponent()

  /// The rows of all tables whose second column has this head.
  private static func rows(_ head: String = "ours") throws -> [[String]] {
    let page = repository.appendingPathComponent("docs/seeds.md")
    let text = try String(contentsOf: page, encoding: .utf8)
    var isInTable = false
    var rows: [[String]] = []
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
      if cells.count != 3 {
        isInTable = false
      } else if cells[1] == head {
        isInTable = true
      } else if isInTable, !cells[0].hasPrefix("---") {
        rows.append(cells)
      }
    }
    return rows
  }

  /// The Swift files below folders.
  private static func swift(in folders: [String]) -> [String] {
    folders.flatMap { folder in
      let place = repository.appendingPathComponent(folder).resolvingSymlinksInPath()
      let paths = FileManager.default.enumerator(atPath: place.path)?.compactMap { $0 as? String }
      return (paths ?? []).filter { $0.hasSuffix(".swift") }.compactMap {
        try? String(contentsOf: place.appendingPathComponent($0), encoding: .utf8)
      }
    }
  }

  /// The names in code type that a cell has.
  private static func names(_ cell: String) -> [Substring] {
    cell.matches(of: /`([^`]+)`/).map(\.1)
  }

  @Test func everyRowHasATest() throws {
    let rows = try Self.rows()
    #expect(rows.count > 50)
    let tests = Self.swift(in: ["Tests"])
    let names = Set(rows.map { $0[2] }).flatMap(Self.names).filter { $0.contains("Tests.") }
    #expect(names.count > 30)
    for name in names {
      let parts = name.split(separator: ".")
      let isThere = tests.contains { file in
        ["struct", "class"].contains { file.contains("\($0) \(parts[0])") }
          && file.contains("func \(parts[1])(")
      }
      #expect(isThere, "\(name)")
    }
    for row in rows where !row[2].hasPrefix("`") {
      Issue.record("no test: \(row)")
    }
  }

  @Test func everyTypeExists() throws {
    let sources = Self.swift(in: ["Sources/AppLibraries/PostilionClient", "Examples"])
    let declared = Set(
      sources.joined(separator: "\n").matches(
        of: /\b(?:struct|class|enum|protocol|actor|typealias|func|var|let|case) `?(\w+)/
      ).map(\.1))
    let cells = try Self.rows().map { $0[1] } + Self.rows("payload").map { $0[2] }
    #expect(cells.count > 60)
    for cell in cells {
      for name in Self.names(cell) where name.first?.isUppercase == true {
        for part in name.split(separator: ".") {
          let isThere = declared.contains(part)
          #expect(isThere, "\(name): \(cell)")
        }
      }
    }
  }
}
