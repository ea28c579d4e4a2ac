import ASCII
import CatalogFormats
import Localization
import Testing

/// Small files that ask for much: each ends with an error, in time and memory of a plain one.
@Suite struct HostileFileTests {
  @Test(arguments: [(400, "unsupported_variation"), (60_000, "limit_exceeded")])
  func theIdOfAUnitNestsNoDeeperThanDevicesAndPlurals(count: Int, code: String) {
    let id = "k|==|" + String(repeating: "device.mac.", count: count) + "plural.one"
    let result = read(
      "de.xliff",
      """
      <xliff version="1.2"><file original="L.xcstrings" source-language="en"><body>
      <trans-unit id="\(id)"><source>S</source></trans-unit></body></file></xliff>
      """)
    #expect(result.diagnostics.map(\.code) == [code])
  }

  @Test func aSpecifierIsShortHoweverOftenItIsPutIn() {
    let text = String(repeating: "%arg", count: 10_000)
    let specifier = String(repeating: "0", count: 20_000) + "d"
    let catalog = read(
      "L.xcstrings",
      """
      {"version": "1.0", "sourceLanguage": "en", "strings": {"k": {"localizations": {"en": {
      "stringUnit": {"state": "translated", "value": "%#@n@"}, "substitutions": {"n": {
      "formatSpecifier": "\(specifier)", "variations": {"plural": {
      "other": {"stringUnit": {"state": "translated", "value": "\(text)"}}}}}}}}}}}
      """)
    #expect(catalog.diagnostics.map(\.code) == ["invalid_value"])

    let exchange = read(
      "de.xliff",
      """
      <xliff version="1.2"><file original="L.stringsdict" source-language="en"><body>
      <trans-unit id="/k:dict/NSStringLocalizedFormatKey:dict/:string"><source>%#@n@</source>
      </trans-unit>
      <trans-unit id="/k:dict/n:dict/NSStringFormatValueTypeKey:dict/:string">
      <source>\(specifier)</source></trans-unit>
      <trans-unit id="/k:dict/n:dict/other:dict/:string"><source>\(text)</source></trans-unit>
      </body></file></xliff>
      """)
    guard case .plural(let format)? = exchange.catalog.entry("k", table: "L", localization: "en")
    else { return #expect(Bool(false), "no entry") }
    #expect(format.variables["n"]?.cases[.other]?.utf8.count ?? .max < 100_000)
  }

  @Test(.timeLimit(.minutes(10)))
  func anImportHasNoMoreLanguagesThanAreMatched() {
    let files = (0..<3).map { file in
      let languages = (0..<500).map { "\"en-\(1000 + $0)-\(1000 + file)\": {}" }
      return catalog(
        "T\(file)", #"{"k": {"localizations": {\#(languages.joined(separator: ","))}}}"#)
    }
    let result = CatalogImporter.read(files, developmentLanguage: "en")
    #expect(result.diagnostics.map(\.code) == ["limit_exceeded"])
    #expect(result.tables.isEmpty)
    #expect(!CatalogImporter.read([files[0]], developmentLanguage: "en").hasErrors)
  }

  @Test func manyKeysOfOneLanguageNeedNoPlaceInHundredsOfOthers() {
    let languages = (0..<500).map { "\"en-\(1000 + $0)\": {}" }.joined(separator: ",")
    let keys = (1..<9000).map { "\"\($0)\": {}" }.joined(separator: ",")
    let file = catalog("T", #"{"0": {"localizations": {\#(languages)}}, \#(keys)}"#)
    let result = CatalogImporter.read([file], developmentLanguage: "en")
    #expect(result.diagnostics.map(\.code) == ["limit_exceeded"])
    #expect(result.contents.keys == 0)
  }

  private func catalog(_ table: String, _ strings: String) -> SourceFile {
    let text = #"{"version": "1.0", "sourceLanguage": "en", "strings": \#(strings)}"#
    return SourceFile(path: "\(table).xcstrings", bytes: Array(text.utf8))
  }

  private func read(_ path: String, _ text: String) -> ImportResult {
    CatalogImporter.read(
      [SourceFile(path: path, bytes: Array(text.utf8))], developmentLanguage: "en")
  }
}
