import CatalogFormats
import Localization
import Zip

extension Reader {
  /// A file of an upload.
  private static func file(_ name: String, _ path: String, _ worst: @escaping (Int) -> String)
    -> Reader
  {
    Reader(name, upTo: 16 << 20) { bytes in
      SourceFile(path: path, bytes: Array(worst(bytes).utf8))
    } _: { file in
      _ = CatalogImporter.read([file], developmentLanguage: "en")
    }
  }

  nonisolated(unsafe) static let files: [Reader] = [
    Reader("paths of files", upTo: 1_024) {
      text($0, "en.lproj/.", flags)
    } _: { path in
      let file = SourceFile(path: path, bytes: [])
      _ = CatalogImporter.read([file], developmentLanguage: "en")
    },
    file(".strings: one key", "en.lproj/A.strings") { text($0, "\"", "\\U0301", "\" = \"\";") },
    file(".strings: one key again", "en.lproj/A.strings") { text($0, "", "\"a\"=\"b\";\n") },
    file(".strings: old property list", "en.lproj/A.strings") { text($0, "{a=", "(", ";}") },
    file(".strings: comments", "en.lproj/A.strings") { text($0, "", "/*/") },
    file(".strings: placeholders", "en.lproj/A.strings") { text($0, "\"a\"=\"", "%1$", "\";") },
    file(".stringsdict: elements", "en.lproj/A.stringsdict") {
      text($0, "<plist><dict>", "<key>a</key><dict></dict>", "</dict></plist>")
    },
    file(".stringsdict: variables", "en.lproj/A.stringsdict") {
      text(
        $0, "<plist><dict><key>a</key><dict><key>NSStringLocalizedFormatKey</key><string>",
        "%#@a@", "</string></dict></dict></plist>")
    },
    file("XML: attributes", "en.xliff") { numbered($0, "<xliff ", "/>") { "a\($0)='' " } },
    file("XML: open elements", "en.xliff") { text($0, "<xliff>", "<a>") },
    file("XML: references", "en.xliff") { text($0, "<xliff>", "&amp;&lt;", "</xliff>") },
    file("XLIFF: names of files", "de.xliff") {
      text(
        $0, "<xliff version='1.2'><file source-language='en' target-language='de' original='.",
        flags, "'><body></body></file></xliff>")
    },
    file("XLIFF: units of one key", "de.xliff") {
      text(
        $0,
        "<xliff version='1.2'><file source-language='en' target-language='de' original='A.strings'>"
          + "<body>", "<trans-unit id='a'><source>a</source></trans-unit>",
        "</body></file></xliff>")
    },
    file(".xcstrings: keys", "A.xcstrings") {
      numbered($0, "{\"sourceLanguage\":\"en\",\"version\":\"1.0\",\"strings\":{", "\"\":{}}}") {
        "\"a\($0)\":{\"localizations\":{\"en\":{\"stringUnit\":{\"value\":\"b\"}}}},"
      }
    },
    Reader("zip archives", upTo: 32 << 20) {
      Array(text($0, "", "PK\u{5}\u{6}").utf8)
    } _: { bytes in
      _ = try? ZipArchive(bytes, maximumCount: 100)
    },
    Reader("format strings", upTo: 64 << 10) {
      text($0, "", "%1$")
    } _: { format in
      _ = Array(FormatParser(format)).count
    },
  ]
}
