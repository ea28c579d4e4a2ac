import CatalogFormats
import Foundation
import Testing

/// What `make fuzz` found, each in its least form.
@Suite struct FuzzFindingsTests {
  @Test(arguments: ["strings", "stringsdict"])
  func `A binary property list holds no U+0000`(format: String) throws {
    for pairs in [["k": "a\u{0}b"], ["k\u{0}": "a"], ["k\u{0}": "é"]] {
      let data = try PropertyListSerialization.data(
        fromPropertyList: pairs, format: .binary, options: 0)
      let file = SourceFile(path: "en.lproj/Localizable.\(format)", bytes: Array(data))
      let result = CatalogImporter.read([file], developmentLanguage: "en")
      #expect(result.diagnostics.map(\.code) == ["nul_character"])
      #expect(result.tables.isEmpty)
    }
  }

  @Test func `A backslash before U+0000 does not let it through`() {
    let file = SourceFile(
      path: "en.lproj/Localizable.strings", bytes: Array("\"k\" = \"a\\\u{0}\";".utf8))
    let result = CatalogImporter.read([file], developmentLanguage: "en")
    #expect(result.diagnostics.map(\.code) == ["nul_character"])
    #expect(result.tables.isEmpty)
    #expect(result.diagnostics.map(\.column) == [10])
  }

  /// `PropertyListSerialization` keeps the error of each list that it refuses, and in it the name
  /// of the element that it does not know (leaks of CFError in CFPropertyList.c, Swift 6.3.1).
  @Test(.disabled("XMLStrings reads with Foundation, which leaks"))
  func `A refused XML property list leaves nothing in memory`() throws {
    let text = "<?xml version=\"1.0\"?><plist><\(String(repeating: "y", count: 1 << 20))></plist>"
    let file = SourceFile(path: "en.lproj/Localizable.strings", bytes: Array(text.utf8))
    let before = try residentBytes()
    for _ in 0..<24 { _ = CatalogImporter.read([file], developmentLanguage: "en") }
    #expect(try residentBytes() - before < 12 << 20)
  }

  private func residentBytes() throws -> Int {
    let pages = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8).split(
      separator: " ")
    return try #require(Int(pages[1])) * 4096
  }
}
