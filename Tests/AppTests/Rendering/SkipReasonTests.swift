import Foundation
import Testing

@testable import App

@Suite struct SkipReasonTests {
  /// An operator who wonders why a phone shows nothing finds each reason there.
  @Test func theDocumentExplainsEachReason() throws {
    let file = Sources.root.appending(path: "docs/messages.md")
    let sections = try String(contentsOf: file, encoding: .utf8)
      .components(separatedBy: "\n## A device gets no text\n")
    try #require(sections.count == 2)
    let rows = sections[1].matches(of: /\n\| `([a-z_]+)` \|/).map { String($0.1) }
    #expect(rows == ["skipped"] + SkipReason.allCases.map(\.rawValue))
  }
}
