import CatalogFormats
import Localization
import Testing

@Suite struct CatalogImporterTests {
  @Test func foldersNameTheLocalizationsFilesTheTables() {
    let result = CatalogImporter.read(
      [
        file("App/zh_Hans.lproj/Localizable.strings", "a = 1;"),
        file("fr.lproj/nested/Localizable.strings", "a = 2;"),
        file("en.lproj/x/sr@latin.lproj/Info.Plist.strings", "a = 3;"),
        file("Base.lproj/Localizable.STRINGS", "a = 4;"),
        file("English.lproj/Other.strings", "a = 5;"),
        file("pr.lproj/Localizable.strings", ""),
      ], developmentLanguage: "en")
    #expect(!result.hasErrors)
    #expect(result.languages == ["zh_Hans", "fr", "sr@latin", "Base", "English", "pr"])
    #expect(
      result.tables.map(\.name) == [
        "Localizable", "Localizable", "Info.Plist", "Localizable", "Other", "Localizable",
      ])
    let catalog = result.catalog
    #expect(catalog.languages == ["zh_Hans", "fr", "sr@latin", "English", "pr"])
    #expect(catalog.entry("a", table: "Localizable", localization: "English") == .text("4"))
  }

  @Test(arguments: [
    ("/fr.lproj/Localizable.strings", "invalid_path"),
    ("../fr.lproj/Localizable.strings", "invalid_path"),
    ("a/../fr.lproj/Localizable.strings", "invalid_path"),
    ("fr.lproj//Localizable.strings", "invalid_path"),
    ("fr.lproj\\Localizable.strings", "invalid_path"),
    ("fr.lproj/Localizable.strings/", "invalid_path"),
    ("fr.lproj/Local\u{1}izable.strings", "invalid_path"),
    ("", "invalid_path"),
    ("Localizable.strings", "no_localization"),
    ("fr/Localizable.strings", "no_localization"),
    (".lproj/Localizable.strings", "no_localization"),
    ("my language.lproj/Localizable.strings", "no_localization"),
    ("Localizable.stringsdict", "no_localization"),
    ("fr.lproj/Main.storyboard", "unsupported_format"),
    ("fr.lproj/strings", "unsupported_format"),
    ("fr.lproj/.strings", "unsupported_format"),
  ])
  func pathsThatSayNothingAreErrors(path: String, code: String) {
    let result = CatalogImporter.read([file(path, "a = 1;")], developmentLanguage: "en")
    #expect(result.tables.isEmpty)
    #expect(result.diagnostics.map(\.code) == [code])
    #expect(result.diagnostics.map(\.file) == [path])
    #expect(result.hasErrors)
  }

  @Test func oneBadFileDoesNotSpoilTheOthers() {
    let result = CatalogImporter.read(
      [
        file("fr.lproj/Localizable.strings", "a = 1"),
        file("de.lproj/Localizable.strings", "a = 1; a = 2;"),
        file("Pods/de.lproj/Localizable.strings", "a = 3;"),
      ], developmentLanguage: "en")
    #expect(
      result.diagnostics.map { "\($0.severity) \($0.file) \($0.line):\($0.column) \($0.code)" } == [
        "error fr.lproj/Localizable.strings 1:6 missing_semicolon",
        "warning de.lproj/Localizable.strings 1:8 duplicate_key",
        "warning Pods/de.lproj/Localizable.strings 1:1 duplicate_file",
      ])
    #expect(
      result.diagnostics.last?.message
        == "'a' in de differs from the text of de.lproj/Localizable.strings, which counts.")
    #expect(result.rejectsFiles)
    #expect(result.entriesLeftOut == 0)
    #expect(result.catalog.languages == ["de"])
  }

  @Test(arguments: [
    ("a = 2;", "The text of 'a' in en.lproj/T.strings is not used: T.xcstrings has this key"),
    (
      "a = 2; b = 2; c = 2;",
      "2 texts of en.lproj/T.strings, such as 'a', are not used: T.xcstrings has these keys"
    ),
  ])
  func aStringCatalogBesideStringsIsNamedAsTheFileToChange(strings: String, message: String) {
    let units = ["a", "b"].map {
      "\"\($0)\": {\"localizations\": {\"en\": {\"stringUnit\": "
        + "{\"state\": \"translated\", \"value\": \"1\"}}}}"
    }
    let result = CatalogImporter.read(
      [
        file(
          "T.xcstrings",
          "{\"sourceLanguage\": \"en\", \"version\": \"1.0\", \"strings\": {"
            + units.joined(separator: ", ") + "}}"),
        file("en.lproj/T.strings", strings),
      ], developmentLanguage: "en")
    #expect(
      result.diagnostics.map(\.message)
        == [message + " in en. Change that file instead, or upload an XLIFF."])
    #expect(result.catalog.entry("a", table: "T", localization: "en") == .text("1"))
  }

  @Test func filesOfOneTableComplementEachOtherTheStrongerFirst() {
    let result = CatalogImporter.read(
      [
        file("en.lproj/T.strings", "a = strings; b = strings; c = strings;"),
        file(
          "en.lproj/T.stringsdict",
          "<plist><dict><key>b</key><string>dict</string></dict></plist>"),
        file("en.xliff", exchange(source: "de", target: "en", ["c": "sent", "d": "sent"])),
        file("fr.xliff", exchange(source: "en", target: "fr", ["a": nil])),
      ], developmentLanguage: "en")
    #expect(result.diagnostics == [])
    #expect(result.languages == ["en", "de"])
    let texts = result.catalog.items(language: "en").map { "\($0.key) \($0.entry)" }
    #expect(
      texts == [
        "a text(\"strings\")", "b text(\"dict\")", "c text(\"sent\")", "d text(\"sent\")",
      ])
    #expect(result.catalog.entry("c", table: "T", localization: "de") == .text("c"))
  }

  private func exchange(source: String, target: String, _ units: [String: String?]) -> String {
    let elements = units.sorted { $0.key < $1.key }.map { key, text in
      let target = text.map { "<target>\($0)</target>" } ?? ""
      return "<trans-unit id=\"\(key)\"><source>\(key)</source>\(target)</trans-unit>"
    }
    return """
      <xliff version="1.2"><file original="T.strings" source-language="\(source)"
      target-language="\(target)"><body>\(elements.joined())</body></file></xliff>
      """
  }

  @Test func uploadsHaveBounds() {
    let deep = String(repeating: "a/", count: 600) + "fr.lproj/Localizable.strings"
    let long = CatalogImporter.read([file(deep, "")], developmentLanguage: "en")
    #expect(long.diagnostics.map(\.code) == ["invalid_path"])
    let large = CatalogImporter.read(
      [
        SourceFile(path: "fr.lproj/A.strings", bytes: [UInt8](repeating: 0x20, count: 16 << 20 + 1))
      ],
      developmentLanguage: "en")
    #expect(large.diagnostics.map(\.code) == ["limit_exceeded"])
    let braces = [UInt8](repeating: UInt8(ascii: "}"), count: 13 << 20)
    let much = CatalogImporter.read(
      (0..<6).map { SourceFile(path: "fr.lproj/T\($0).strings", bytes: braces) },
      developmentLanguage: "en")
    #expect(much.diagnostics.map(\.code).suffix(2) == ["unexpected_character", "limit_exceeded"])
    #expect(much.diagnostics.count == 5)
    let many = CatalogImporter.read(
      (0..<5000).map { file("fr.lproj/T\($0).strings", "a = b") },
      over: ["A", "B"].map { file("\($0)/fr.lproj/T0.strings", "") }, developmentLanguage: "en")
    #expect(many.diagnostics.count == 1001)
    #expect(many.diagnostics.last?.code == "more_diagnostics")
    // So many are not compared with what is there.
    #expect(!many.diagnostics.contains { $0.code == "duplicate_file" })
  }
}

private func file(_ path: String, _ text: String) -> SourceFile {
  SourceFile(path: path, bytes: Array(text.utf8))
}
