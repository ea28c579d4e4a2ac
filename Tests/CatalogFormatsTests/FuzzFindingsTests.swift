import CatalogFormats
import Foundation
import Localization
import Testing

/// What `make fuzz` found, each in its least form.
@Suite struct FuzzFindingsTests {
  @Test(arguments: ["strings", "stringsdict"])
  func aBinaryPropertyListHoldsNoNull(format: String) throws {
    for pairs in [["k": "a\u{0}b"], ["k\u{0}": "a"], ["k\u{0}": "é"]] {
      let data = try PropertyListSerialization.data(
        fromPropertyList: pairs, format: .binary, options: 0)
      let file = SourceFile(path: "en.lproj/Localizable.\(format)", bytes: Array(data))
      let result = CatalogImporter.read([file], developmentLanguage: "en")
      #expect(result.diagnostics.map(\.code) == ["nul_character"])
      #expect(result.catalog.keyCount == 0)
    }
  }

  @Test func aBackslashBeforeNullDoesNotLetItThrough() {
    let file = SourceFile(
      path: "en.lproj/Localizable.strings", bytes: Array("\"k\" = \"a\\\u{0}\";".utf8))
    let result = CatalogImporter.read([file], developmentLanguage: "en")
    #expect(result.diagnostics.map(\.code) == ["nul_character"])
    #expect(result.catalog.keyCount == 0)
    #expect(result.diagnostics.map(\.column) == [10])
  }

  @Test func anXMLPropertyListHoldsNoNull() {
    let text =
      "<?xml version=\"1.0\"?><plist><dict><key>k</key><string>a\u{0}</string></dict></plist>"
    for path in ["en.lproj/T.strings", "en.lproj/T.stringsdict"] {
      let file = SourceFile(path: path, bytes: Array(text.utf8))
      let result = CatalogImporter.read([file], developmentLanguage: "en")
      #expect(result.hasErrors)
      #expect(result.tables.isEmpty)
    }
  }
}
