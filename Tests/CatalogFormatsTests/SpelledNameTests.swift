import CatalogFormats
import Localization
import Testing

/// Names in files are their bytes: two spellings of é are two names.
@Suite struct SpelledNameTests {
  private static let names = ["caf\u{E9}", "cafe\u{301}"]

  @Test func twoTables() {
    let files = Self.names.map {
      SourceFile(path: "en.lproj/\($0).strings", bytes: Array("\"k\" = \"\($0)\";".utf8))
    }
    let result = CatalogImporter.read(files, developmentLanguage: "en")
    #expect(result.diagnostics == [])
    for name in Self.names {
      let entry = result.catalog.entry("k", table: name, localization: "en")
      #expect(entry == .text(name))
    }
    #expect(Entry.text(Self.names[0]) != .text(Self.names[1]))
  }

  /// A reference has a name of ASCII; whoever defines another name is told of each.
  @Test func twoVariables() {
    let variables = Self.names.map { name in
      "<key>\(name)</key><dict><key>NSStringFormatSpecTypeKey</key>"
        + "<string>NSStringPluralRuleType</string><key>NSStringFormatValueTypeKey</key>"
        + "<string>d</string><key>other</key><string>a</string></dict>"
    }
    let list =
      "<plist><dict><key>k</key><dict><key>NSStringLocalizedFormatKey</key><string>a</string>"
      + variables.joined() + "</dict></dict></plist>"
    let file = SourceFile(path: "en.lproj/A.stringsdict", bytes: Array(list.utf8))
    let result = CatalogImporter.read([file], developmentLanguage: "en")
    #expect(result.diagnostics.map(\.code) == ["unreferenced_variable", "unreferenced_variable"])
  }
}
