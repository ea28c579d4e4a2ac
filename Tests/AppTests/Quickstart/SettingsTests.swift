import Foundation
import Testing

@testable import App

/// The table of settings in docs/operations.md is that of the program.
@Suite struct SettingsTests {
  @Test func theTableListsEverySetting() throws {
    let file = Sources.root.appending(path: "docs/operations.md")
    let text = try String(contentsOf: file, encoding: .utf8)
    let rows = text.components(separatedBy: "\n")
      .map { $0.replacingOccurrences(of: "`", with: "") }
      .filter { $0.hasPrefix("| DATABASE_") || $0.hasPrefix("| POSTILION_") }
    let settings = Configuration.settings.map { "| \($0.variable) | \($0.standard) | " }
    #expect(rows.count == settings.count)
    for (row, setting) in zip(rows, settings) {
      #expect(row.hasPrefix(setting), "the next setting is \(setting)")
    }
  }
}
