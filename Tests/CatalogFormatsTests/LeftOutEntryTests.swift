import ASCII
import Localization
import TestSupport
import Testing

@testable import CatalogFormats

/// One entry that cannot be read spoils neither its file nor the upload.
@Suite struct LeftOutEntryTests {
  /// A file with the good key `GOOD`, and what is wrong with another one.
  struct Case: CustomTestStringConvertible {
    let path: String
    let text: String
    /// `CODE LINE:COLUMN` of the error.
    let error: String
    var key = "BAD"
    var language = "fr"

    var testDescription: String { "\(path) \(error)" }
  }

  private static func dictionary(_ bad: String) -> String {
    """
    <plist version="1.0"><dict><key>GOOD</key><string>good</string>
    <key>BAD</key>\(bad)</dict></plist>
    """
  }

  private static func catalog(_ bad: String) -> String {
    """
    {"version": "1.0", "sourceLanguage": "en", "strings": {
    "GOOD": {"localizations": {"fr": {"stringUnit": {"state": "translated", "value": "good"}}}},
    "BAD": \(bad)}}
    """
  }

  private static func exchange(_ bad: String) -> String {
    """
    <xliff><file original="L.xcstrings" source-language="en" target-language="fr"><body>
    \(unit("GOOD", "good", "good"))
    \(bad)</body></file></xliff>
    """
  }

  private static func unit(_ id: String, _ source: String, _ target: String) -> String {
    "<trans-unit id=\"\(id)\"><source>\(source)</source><target>\(target)</target></trans-unit>"
  }

  private static let undefined =
    "<dict><key>NSStringLocalizedFormatKey</key><string>%#@n@</string></dict>"
  private static let long = String(repeating: "x", count: 70_000)

  static let cases: [Case] = [
    Case(
      path: "fr.lproj/L.strings", text: "GOOD = good;\n\"BAD\" = \"\\0\";",
      error: "nul_character 2:12"),
    Case(
      path: "fr.lproj/L.strings", text: "GOOD = good;\nBAD = \(long);",
      error: "limit_exceeded 2:1"),
    Case(
      path: "fr.lproj/L.strings", text: dictionary("<string>\(long)</string>"),
      error: "limit_exceeded 2:1"),
    Case(
      path: "fr.lproj/L.stringsdict", text: dictionary(undefined),
      error: "undefined_variable 2:1"),
    Case(path: "fr.lproj/L.stringsdict", text: dictionary("<dict/>"), error: "missing_format 2:1"),
    Case(
      path: "fr.lproj/L.stringsdict", text: dictionary("<string>\(long)</string>"),
      error: "limit_exceeded 2:1"),
    Case(path: "L.xcstrings", text: catalog("7"), error: "wrong_type 3:1", language: "en"),
    Case(
      path: "L.xcstrings", text: catalog(#"{"localizations": {"fr": {"stringUnit": "x"}}}"#),
      error: "wrong_type 3:34"),
    Case(
      path: "L.xcstrings",
      text: catalog(#"{"localizations": {"fr": {"stringUnit": {"value": "%#@n@"}}}}"#),
      error: "undefined_variable 3:27"),
    Case(
      path: "L.xcstrings",
      text: catalog(#"{"localizations": {"fr": {"stringUnit": {"value": "\#(long)"}}}}"#),
      error: "limit_exceeded 3:49"),
    Case(
      path: "L.xcstrings", text: catalog(#"{"localizations": {"en": {"stringUnit": "x"}}}"#),
      error: "wrong_type 3:34", language: "en"),
    Case(
      path: "fr.xliff", text: exchange(unit("BAD", "%#@n@", "%#@n@")),
      error: "undefined_variable 3:1"),
    Case(
      path: "fr.xliff", text: exchange(unit("BAD|==|plural", "a", "b")),
      error: "unsupported_variation 3:1"),
    Case(
      path: "fr.xliff", text: exchange(unit("BAD", "a", long)), error: "limit_exceeded 3:1"),
    Case(
      path: "fr.xliff", text: exchange(unit("BAD|==|device.mac.mac", "a", "b")),
      error: "unsupported_variation 3:1"),
    Case(
      path: "fr.lproj/L.strings", text: "GOOD = good;\nBAD = (b);", error: "ignored_value 2:1"),
    Case(
      path: "fr.lproj/L.strings", text: dictionary("<array/>"), error: "ignored_value 2:1"),
    Case(
      path: "fr.lproj/L.stringsdict", text: dictionary("<true/>"), error: "ignored_value 2:1"),
    Case(
      path: "L.xcstrings",
      text: catalog(#"{"localizations": {"fr": {"variations": {"mood": {}}}}}"#),
      error: "unsupported_variation 3:49"),
  ]

  @Test(arguments: cases)
  func theRestIsReadAndTheEntryIsNamedAndCounted(_ row: Case) throws {
    let result = CatalogImporter.read(
      [SourceFile(path: row.path, bytes: Array(row.text.utf8))], developmentLanguage: "en")
    let errors = result.diagnostics.filter { $0.severity == .error }
    #expect(errors.map { "\($0.code) \($0.line):\($0.column)" } == [row.error])
    #expect(result.entriesLeftOut == 1)
    #expect(result.hasErrors && !result.rejectsFiles)
    let catalog = result.catalog
    #expect(catalog.entry("GOOD", table: "L", localization: "fr") == .text("good"))
    #expect(catalog.entry("BAD", table: "L", localization: row.language) == nil)
    // Nobody knows what a device shows.
    let found = Lookup(catalog).deviceResult(for: row.key, table: "L", chain: [row.language])
    #expect(found == .uncertain(nil, localization: row.language))
  }

  @Test(arguments: [
    ("fr.lproj/L.strings", "a = b"), ("fr.lproj/L.strings", dictionary("")),
    ("fr.lproj/L.stringsdict", "<plist><array/></plist>"), ("L.xcstrings", "{"),
    ("L.xcstrings", #"{"version": "1.0", "strings": {"a": {}}}"#), ("fr.xliff", "<xliff>"),
    (
      "fr.xliff",
      "<xliff><file source-language='en'><body>\(unit("a", "b", "c"))</body></file></xliff>"
    ),
    ("French/L.strings", "a = b;"), ("L.zip", "PK"), ("L.txt", ""),
  ])
  func aFileThatCannotBeReadAtAllIsRejected(path: String, text: String) {
    let files = [
      SourceFile(path: path, bytes: Array(text.utf8)),
      SourceFile(path: "fr.lproj/M.strings", bytes: Array("a = b;".utf8)),
    ]
    #expect(CatalogImporter.read(files, developmentLanguage: "en").rejectsFiles)
  }

  /// Of an entry with three faults, and one that is faulty in two languages.
  @Test func anEntryCountsOnceInEachLanguage() {
    let bad = #"{"localizations": {"de": {"stringUnit": 1}, "fr": {"stringUnit": 1}}}"#
    let catalog = SourceFile(path: "L.xcstrings", bytes: Array(Self.catalog(bad).utf8))
    #expect(CatalogImporter.read([catalog], developmentLanguage: "en").entriesLeftOut == 2)
    let units = ["plural", "device", "width"].map { Self.unit("BAD|==|\($0)", "a", "b") }
    let file = SourceFile(path: "fr.xliff", bytes: Array(Self.exchange(units.joined()).utf8))
    let result = CatalogImporter.read([file], developmentLanguage: "en")
    #expect(result.diagnostics.count == 3)
    #expect(result.entriesLeftOut == 1)
  }

  /// More than are listed.
  @Test func allAreCounted() {
    let entries = (0..<500).map { "\"k\($0)\": 1" }.joined(separator: ",")
    let text = #"{"version": "1.0", "sourceLanguage": "en", "strings": {\#(entries)}}"#
    let result = CatalogImporter.read(
      [SourceFile(path: "L.xcstrings", bytes: Array(text.utf8))], developmentLanguage: "en")
    #expect(result.entriesLeftOut == 500)
    #expect(result.diagnostics.count == 101)
  }

  /// On a device the `.stringsdict` counts, whatever it says.
  @Test func noOtherFileMakesABrokenTextCertain() {
    let files = [
      ("fr.lproj/L.strings", "BAD = bad;"),
      ("fr.lproj/L.stringsdict", Self.dictionary(Self.undefined)),
    ].map { SourceFile(path: $0, bytes: Array($1.utf8)) }
    let table = CatalogImporter.read(files, developmentLanguage: "en").tables.first
    #expect(table?.entries["BAD"] == .text("bad"))
    #expect(table?.uncertain == ["BAD"])
  }

  /// Japanese has one category, and so has the English text in its export.
  @Test func theSourceIsThatOfTheLanguageWithTheMostCategories() {
    let units = ["one", "other"].map { Self.unit("EGGS|==|plural.\($0)", "%lld \($0)", "%lld") }
    let files = [("de.xliff", units[...]), ("id.xliff", units[1...])].map { path, units in
      SourceFile(path: path, bytes: Array(Self.exchange(units.joined()).utf8))
    }
    for files in [files, files.reversed()] {
      let catalog = CatalogImporter.read(files, developmentLanguage: "en").catalog
      guard case .plural(let format)? = catalog.entry("EGGS", table: "L", localization: "en")
      else { return #expect(Bool(false), "no plural") }
      #expect(format.variables["value"]?.cases.count == 2)
    }
  }

  /// Xcode's export names only what the translation has.
  @Test func aSourceMayLackWhatItsTranslationDoesNotNeed() {
    let one = Self.exchange(
      Self.unit("BAD", "%#@km@, %2$#@stops@", "%1$.0f km, %2$#@stops@")
        + Self.unit("BAD|==|substitutions.stops.plural.other", "%2$ld stops", "%2$ld peatust"))
    let alone = CatalogImporter.read(
      [SourceFile(path: "et.xliff", bytes: Array(one.utf8))], developmentLanguage: "en")
    #expect(alone.diagnostics.isEmpty)
    #expect(alone.entriesLeftOut == 0)
    #expect(alone.catalog.entry("BAD", table: "L", localization: "fr") != nil)
    #expect(alone.catalog.entry("BAD", table: "L", localization: "en") == nil)
    // Without a translation the same source is the text itself, and lacks a part.
    let source = one.replacing(" target-language=\"fr\"", with: "")
    let faulty = CatalogImporter.read(
      [SourceFile(path: "en.xliff", bytes: Array(source.utf8))], developmentLanguage: "en")
    #expect(faulty.diagnostics.map(\.code).contains("undefined_variable"))
  }
}
