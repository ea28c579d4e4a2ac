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

  /// A part of an XLIFF file with a name of marks in it.
  private static func spelled(_ name: String, _ start: String, _ end: String) -> Reader {
    file(name, "de.xliff") {
      text(
        $0,
        "<xliff version='1.2'><file source-language='en' target-language='de' "
          + "original='A.stringsdict'>" + start, marks, end + "</file></xliff>")
    }
  }

  private static func unit(_ id: String) -> String {
    "<trans-unit id='\(id)'><source>a</source>"
  }

  /// An entry of a dictionary of texts with a name of marks in it.
  private static func spelled(
    _ name: String, dictionary start: String, _ end: String
  ) -> Reader {
    file(name, "en.lproj/A.stringsdict") {
      text(
        $0, "<plist><dict><key>a</key><dict>" + start, marks, end + "</dict></dict></plist>")
    }
  }

  /// An entry of a string catalog with a name of marks in it.
  private static func spelled(_ name: String, entry start: String, _ end: String) -> Reader {
    file(name, "A.xcstrings") {
      text(
        $0, "{\"sourceLanguage\":\"en\",\"version\":\"1.0\",\"strings\":{\"a\":{" + start,
        marks, end + "}}}")
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
    spelled("XML: names of elements", "<body><e", "/></body>"),
    spelled("XML: names of attributes", "<body><e e", "='' a='' b=''/></body>"),
    spelled("XLIFF: names of states", unit("a") + "<target state='e", "'>b</target></trans-unit>"),
    spelled("XLIFF: categories", "<trans-unit id='a|==|plural.e", "'><source/></trans-unit>"),
    spelled("XLIFF: steps of ids", "<trans-unit id='a|==|e", ".one'><source/></trans-unit>"),
    spelled("XLIFF: ids", "<trans-unit id='/e", ":dict/:string'><source/></trans-unit>"),
    spelled(
      "XLIFF: names of variables", "<trans-unit id='/a:dict/e",
      ":dict/one:dict/:string'><source/></trans-unit>"),
    file("XLIFF: names of languages", "de.xliff") {
      text($0, "<xliff version='1.2'><file original='A' source-language='e", marks, "'/></xliff>")
    },
    file("XLIFF: folders of files", "de.xliff") {
      text(
        $0, "<xliff version='1.2'><file source-language='en' target-language='de' original='e",
        marks,
        "/A.strings'><trans-unit id='a'><source>a</source></trans-unit></file></xliff>")
    },
    file("XLIFF: version", "de.xliff") { text($0, "<xliff version='1", marks, "'></xliff>") },
    spelled(".stringsdict: rules", dictionary: "<key>e", "</key><string>b</string>"),
    spelled(
      ".stringsdict: devices", dictionary: "<key>NSStringDeviceSpecificRuleType</key><dict><key>e",
      "</key><string>b</string></dict>"),
    spelled(
      ".stringsdict: categories",
      dictionary: "<key>NSStringLocalizedFormatKey</key><string>%#@v@</string><key>v</key><dict>"
        + "<key>NSStringFormatSpecTypeKey</key><string>NSStringPluralRuleType</string><key>e",
      "</key><string>b</string></dict>"),
    spelled(
      ".stringsdict: types",
      dictionary: "<key>NSStringLocalizedFormatKey</key><string>%#@v@</string><key>v</key><dict>"
        + "<key>NSStringFormatSpecTypeKey</key><string>e", "</string></dict>"),
    spelled(
      ".stringsdict: names of variables",
      dictionary: "<key>NSStringLocalizedFormatKey</key><string>%#@v@%#@w@</string><key>e",
      "</key><dict></dict><key>v</key><dict></dict>"),
    spelled(".xcstrings: fields", entry: "\"e", "\":1"),
    file(".xcstrings: fields of the file", "A.xcstrings") {
      text($0, "{\"version\":\"1.0\",\"e", marks, "\":1}")
    },
    file(".xcstrings: version", "A.xcstrings") { text($0, "{\"version\":\"1", marks, "\"}") },
    spelled(".xcstrings: extraction states", entry: "\"extractionState\":\"e", "\""),
    spelled(".xcstrings: languages", entry: "\"localizations\":{\"e", "\":{}}"),
    spelled(
      ".xcstrings: states",
      entry: "\"localizations\":{\"de\":{\"stringUnit\":{\"value\":\"b\",\"state\":\"e", "\"}}}"),
    spelled(
      ".xcstrings: variations", entry: "\"localizations\":{\"de\":{\"variations\":{\"e",
      "\":{}}}}"),
    spelled(
      ".xcstrings: categories",
      entry: "\"localizations\":{\"de\":{\"variations\":{\"plural\":{\"e", "\":{}}}}}"),
    spelled(
      ".xcstrings: devices",
      entry: "\"localizations\":{\"de\":{\"variations\":{\"device\":{\"e", "\":{}}}}}"),
    spelled(
      ".xcstrings: substitutions",
      entry: "\"localizations\":{\"de\":{\"stringUnit\":{\"value\":\"b\"},\"substitutions\":{\"e",
      "\":{\"formatSpecifier\":\"d\",\"variations\":{\"plural\":{\"one\":"
        + "{\"stringUnit\":{\"value\":\"b\"}}}}}}}}"),
    Reader("texts of two files", upTo: 64 << 10) { bytes in
      ["a", "b"].map { end in
        SourceFile(
          path: "\(end)/en.lproj/A.strings",
          bytes: Array(text(bytes, "\"k\"=\"e", marks, "\(end)\";").utf8))
      }
    } _: { files in
      _ = CatalogImporter.read(files, developmentLanguage: "en")
    },
    Reader("paths of archives", upTo: 64 << 10) {
      text($0, "e", marks, "/a.zip")
    } _: { path in
      let file = SourceFile(path: path, bytes: [])
      _ = CatalogImporter.read([file, file], developmentLanguage: "en")
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
