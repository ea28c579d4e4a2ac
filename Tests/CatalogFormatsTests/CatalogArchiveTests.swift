import ASCII
import Localization
import TestSupport
import Testing

@testable import CatalogFormats

@Suite struct CatalogArchiveTests {
  private static let english = (path: "en.lproj/Localizable.strings", text: #""A" = "a";"#)
  private static let french = (path: "fr.lproj/Localizable.strings", text: #""A" = "à";"#)

  private static func xliff(_ language: String) -> String {
    """
    <?xml version="1.0" encoding="UTF-8"?>
    <xliff version="1.2" xmlns="urn:oasis:names:tc:xliff:document:1.2">
    <file original="App/Localizable.xcstrings" source-language="en" target-language="\(language)"
      datatype="plaintext"><body>
    <trans-unit id="A"><source>a</source><target state="translated">\(language)</target>
    </trans-unit></body></file></xliff>
    """
  }

  private func read(_ files: [(path: String, zip: ZipBuilder)]) -> ImportResult {
    CatalogImporter.read(
      files.map { SourceFile(path: $0.path, bytes: $0.zip.bytes) }, developmentLanguage: "en")
  }

  private func read(_ zip: ZipBuilder) -> ImportResult { read([("strings.zip", zip)]) }

  @Test(arguments: ZipBuilder.Method.allCases)
  func theFoldersOfAProjectAreReadByTheirPaths(method: ZipBuilder.Method) {
    let folder = (path: "fr.lproj/", text: "")
    let junk = [
      "__MACOSX/fr.lproj/._Localizable.strings", "fr.lproj/._Localizable.strings", ".DS_Store",
      "fr.lproj/.DS_Store", "fr.lproj/Main.storyboard", "README", "fr.lproj/strings",
    ].map { (path: $0, text: "junk") }
    let result = read(ZipBuilder([Self.french, folder] + junk + [Self.english], method))
    #expect(result.diagnostics == [])
    #expect(result.languages == ["en", "fr"])
    #expect(result.files.map(\.path) == [Self.english.path, Self.french.path])
    #expect(result.catalog.entry("A", table: "Localizable", localization: "fr") == .text("à"))
    let again = CatalogImporter.read(result.files, developmentLanguage: "en")
    #expect(again.tables == result.tables)
  }

  @Test func ofAnExportOfLocalizationsTheTranslationsAreRead() {
    let result = read(
      ZipBuilder([
        ("Food Localizations/", ""),
        ("Food Localizations/fr.xcloc/contents.json", #"{"version": "1.0"}"#),
        ("Food Localizations/fr.xcloc/Localized Contents/fr.xliff", Self.xliff("fr")),
        ("Food Localizations/fr.xcloc/Localized Contents/App/fr.lproj/Main.strings", "junk"),
        ("Food Localizations/fr.xcloc/Source Contents/App/en.lproj/Localizable.strings", "junk"),
        ("Food Localizations/fr.xcloc/Source Contents/App/Localizable.xcstrings", "junk"),
        ("Food Localizations/fr.xcloc/Notes/fr.xliff", "junk"),
        ("Food Localizations/de.xcloc/Localized Contents/de.xliff", Self.xliff("de")),
      ]))
    #expect(result.diagnostics == [])
    #expect(result.languages == ["en", "de", "fr"])
    #expect(result.catalog.entry("A", table: "Localizable", localization: "de") == .text("de"))
  }

  @Test func archivesStandBesideFilesAndEachOther() {
    let result = CatalogImporter.read(
      [
        SourceFile(path: "a.ZIP", bytes: ZipBuilder([Self.french]).bytes),
        SourceFile(path: Self.english.path, bytes: Array(Self.english.text.utf8)),
        SourceFile(path: "b.zip", bytes: ZipBuilder([Self.french]).bytes),
      ], developmentLanguage: "en")
    #expect(result.languages == ["en", "fr"])
    #expect(result.diagnostics.map(\.summary) == ["error duplicate_file 1:1"])
  }

  @Test(arguments: [
    ("../fr.lproj/Localizable.strings", "invalid_path"),
    ("/fr.lproj/Localizable.strings", "invalid_path"),
    ("a/../../x", "invalid_path"), ("fr.lproj\\Localizable.strings", "invalid_path"),
    ("fr.lproj//Localizable.strings", "invalid_path"), ("/", "invalid_path"),
    (String(repeating: "a", count: 1025), "invalid_path"),
    ("Localizable.strings", "no_localization"), ("picture.png", "empty_archive"),
    ("strings.zip", "empty_archive"), ("fr.xcloc", "empty_archive"),
    ("fr.xcloc/fr.strings", "empty_archive"), ("fr.lproj/", "empty_archive"),
  ])
  func whatDoesNotBelongThereIsTold(path: String, code: String) {
    let result = read(ZipBuilder([(path, "")]))
    #expect(result.diagnostics.map(\.summary) == ["error \(code) 1:1"])
    #expect(result.tables.isEmpty)
  }

  @Test func damageAndKindsThatAreNotReadAreTold() {
    var encrypted = ZipBuilder([Self.french])
    encrypted.entries[0].flags |= 1
    var damaged = ZipBuilder([Self.french])
    damaged.entries[0].checksum ^= 1
    var method = ZipBuilder([Self.french])
    method.entries[0].method = 14
    let result = read([("a.zip", encrypted), ("b.zip", damaged), ("c.zip", method)])
    #expect(
      result.diagnostics.map { "\($0.file) \($0.code)" } == [
        "a.zip unsupported_archive", "b.zip malformed_archive", "c.zip unsupported_archive",
      ])
    let none = CatalogImporter.read(
      [SourceFile(path: "a.zip", bytes: Array("none".utf8))], developmentLanguage: "en")
    #expect(none.diagnostics.map(\.summary) == ["error malformed_archive 1:1"])
  }

  /// Small archives that would become large are refused by what they say, before they do.
  @Test func expansionIsBounded() {
    var one = ZipBuilder()
    one.add("a.xcstrings", [UInt8](repeating: 0x20, count: 1 << 20))
    one.entries[0].size = 17 << 20
    #expect(read(one).diagnostics.map(\.summary) == ["error limit_exceeded 1:1"])

    // Five files of 16 MB each, all made of the same bytes, and an archive too many.
    var many = ZipBuilder()
    many.add("0.xcstrings", [UInt8](repeating: 0x20, count: 1 << 20))
    many.entries[0].size = 16 << 20
    for index in 1..<5 {
      var entry = many.entries[0]
      entry.path = "\(index).xcstrings"
      many.entries.append(entry)
    }
    #expect(many.bytes.count < 10_000)
    let result = read([("a.zip", many), ("b.zip", ZipBuilder([Self.french]))])
    #expect(
      result.diagnostics.map { "\($0.file) \($0.code)" }
        == ["a.zip limit_exceeded", "b.zip limit_exceeded"])

    let crowd = ZipBuilder((0...16_384).map { ("\($0)", "") }, .stored)
    #expect(read(crowd).diagnostics.map(\.summary) == ["error limit_exceeded 1:1"])
  }

  @Test(arguments: ["Localizable.xcstrings", "App/Resources/Localizable.xcstrings"])
  func aStringCatalogMayComeWithFoldersOrWithout(
    path: String
  ) {
    let text = """
      {"sourceLanguage": "en", "version": "1.0", "strings": {"A": {}},
       "Strings": {}, "extra": 1}
      """
    let result = CatalogImporter.read(
      [SourceFile(path: path, bytes: Array(text.utf8))], developmentLanguage: "en")
    #expect(result.tables.map(\.name) == ["Localizable"])
    #expect(
      result.diagnostics.map(\.summary) == [
        "warning unknown_field 2:2", "warning unknown_field 2:17",
      ])
  }
}
