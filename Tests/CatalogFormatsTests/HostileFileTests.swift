import CatalogFormats
import Localization
import Testing

/// Small files that ask for much: each ends with an error, in time and memory of a plain one.
@Suite struct HostileFileTests {
  @Test func `The id of a translation unit nests no deeper than devices and plurals`() {
    let id = "k|==|" + String(repeating: "device.mac.", count: 60_000) + "plural.one"
    let result = read(
      "de.xliff",
      """
      <xliff version="1.2"><file original="L.xcstrings" source-language="en"><body>
      <trans-unit id="\(id)"><source>S</source></trans-unit></body></file></xliff>
      """)
    #expect(result.diagnostics.map(\.code) == ["unsupported_variation"])
  }

  @Test func `A specifier is short, however often it is put in`() {
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

  private func read(_ path: String, _ text: String) -> ImportResult {
    CatalogImporter.read(
      [SourceFile(path: path, bytes: Array(text.utf8))], developmentLanguage: "en")
  }
}
