internal import CatalogFormats
internal import Localization

/// Reading of string files, two thousand keys each.
enum FileOperations {
  static func all() throws(Fault) -> [Operation] {
    [
      try reading("parse .strings", goal: 100, "en.lproj/Localizable.strings", strings),
      try reading("parse .stringsdict", "en.lproj/Localizable.stringsdict", stringsDictionary),
      try reading("parse .xcstrings", "Localizable.xcstrings", stringCatalog),
      try reading("parse XLIFF", "de.xliff", xliff),
    ]
  }

  /// The catalog that the large stage uploads.
  static func catalog() throws(Fault) -> Catalog {
    let files = CatalogUpload.files.map { SourceFile(path: $0.path, bytes: Array($0.text.utf8)) }
    let result = CatalogImporter.read(files, developmentLanguage: "en")
    guard !result.hasErrors else { throw Fault("the catalog does not read") }
    return result.catalog
  }

  private static func reading(
    _ name: String, goal: Double? = nil, _ path: String, _ text: String
  ) throws(Fault) -> Operation {
    let file = SourceFile(path: path, bytes: Array(text.utf8))
    let isRead = !CatalogImporter.read([file], developmentLanguage: "en").hasErrors
    guard isRead else { throw Fault("\(path) does not read") }
    return Operation(name: name, bytes: file.bytes.count, throughputGoal: goal) {
      () throws(Fault) in
      path.hasSuffix(".strings")
        ? StringsParser.parse(file).entries?.count ?? 0
        : CatalogImporter.read([file], developmentLanguage: "en").tables.count
    }
  }

  private static let keys = 1...2000

  private static var strings: String {
    keys.map { "/* Shown at the top */\n\"KEY_\($0)\" = \"Text %@ \($0)\";\n" }.joined()
  }

  private static var stringsDictionary: String {
    let entries = keys.map {
      """
      <key>KEY_\($0)</key>
      <dict>
        <key>NSStringLocalizedFormatKey</key><string>%#@n@</string>
        <key>n</key>
        <dict>
          <key>NSStringFormatSpecTypeKey</key><string>NSStringPluralRuleType</string>
          <key>NSStringFormatValueTypeKey</key><string>d</string>
          <key>one</key><string>%d text \($0)</string>
          <key>other</key><string>%d texts \($0)</string>
        </dict>
      </dict>

      """
    }
    return """
      <?xml version="1.0" encoding="UTF-8"?>
      <plist version="1.0"><dict>
      \(entries.joined())</dict></plist>
      """
  }

  private static var stringCatalog: String {
    let entries = keys.map {
      """
        "KEY_\($0)" : {
          "localizations" : {
            "de" : { "stringUnit" : { "state" : "translated", "value" : "Text %@ \($0)" } },
            "en" : { "stringUnit" : { "state" : "translated", "value" : "Text %@ \($0)" } }
          }
        }
      """
    }
    return """
      {
        "sourceLanguage" : "en",
        "strings" : {
      \(entries.joined(separator: ",\n"))
        },
        "version" : "1.0"
      }
      """
  }

  private static var xliff: String {
    let units = keys.map {
      """
      <trans-unit id="KEY_\($0)" xml:space="preserve">
        <source>Text %@ \($0)</source><target state="translated">Text %@ \($0)</target>
      </trans-unit>

      """
    }
    return """
      <?xml version="1.0" encoding="UTF-8"?>
      <xliff xmlns="urn:oasis:names:tc:xliff:document:1.2" version="1.2">
      <file original="App/en.lproj/Localizable.strings" source-language="en"
        target-language="de" datatype="plaintext"><body>
      \(units.joined())</body></file></xliff>
      """
  }
}
