import ASCII
import Localization
import Testing

@testable import CatalogFormats

/// Texts of several bundles in one upload.
@Suite struct BundleTests {
  private static func exchange(_ units: [(original: String, text: String)]) -> String {
    let files = units.map { original, text in
      """
      <file original="\(original)" source-language="en" target-language="fr"><body>
      <trans-unit id="DONE"><source>Done</source><target>\(text)</target></trans-unit>
      </body></file>
      """
    }
    return "<xliff version=\"1.2\">\(files.joined())</xliff>"
  }

  private func read(_ files: [(path: String, text: String)], lints: Bool = true) -> ImportResult {
    CatalogImporter.read(
      files.map { SourceFile(path: $0.path, bytes: Array($0.text.utf8)) },
      developmentLanguage: "en", lints: lints)
  }

  private func text(_ key: String, _ result: ImportResult) -> Entry? {
    result.catalog.entry(key, table: "Localizable", localization: "fr")
  }

  @Test(arguments: [
    ("Food/Localizable.strings", "Badge/Localizable.strings"),
    ("Food/en.lproj/Localizable.strings", "FoodShare/en.lproj/Localizable.strings"),
    ("Localizable.strings", "Notification Service/Localizable.strings"),
    ("Kitchen/Localizable.xcstrings", "Test/Localizable.xcstrings"),
    ("Kitchen/Localizable.xcstrings", "Test\u{301}/Localizable.xcstrings"),
  ])
  func inAnExchangeTheAppsOwnCountsWhateverTheOrder(own: String, other: String) {
    let units = [(original: other, text: "Extension"), (original: own, text: "App")]
    for units in [units, units.reversed()] {
      let result = read([("fr.xliff", Self.exchange(units))])
      #expect(text("DONE", result) == .text("App"))
      #expect(result.diagnostics.map(\.code) == ["duplicate_file"])
    }
  }

  @Test(arguments: [
    ("Food/fr.lproj/Localizable.strings", "Badge/fr.lproj/Localizable.strings"),
    ("ios/Food/fr.lproj/Localizable.strings", "ios/Alarm Widget/fr.lproj/Localizable.strings"),
    ("fr.lproj/Localizable.strings", "Pods/fr.lproj/Localizable.strings"),
  ])
  func inFoldersToo(own: String, other: String) {
    let files = [(path: other, text: "DONE = Extension;"), (path: own, text: "DONE = App;")]
    for files in [files, files.reversed()] { #expect(text("DONE", read(files)) == .text("App")) }
  }

  @Test(arguments: ["Badge", "badge", "com.example.Badge", "B a d g e!"])
  func theBundleThatIsNamedAsTheAppIsItsOwn(name: String) {
    let files = [
      ("Food/fr.lproj/Localizable.strings", "DONE = Other; MORE = more;"),
      ("ios/Badge/Texts/fr.lproj/Localizable.strings", "DONE = App;"),
    ].map { SourceFile(path: $0, bytes: Array($1.utf8)) }
    let result = CatalogImporter.read(files, developmentLanguage: "en", appNames: ["x", name])
    #expect(text("DONE", result) == .text("App"))
  }

  /// Whatever has more texts.
  @Test(arguments: [
    ("Food/fr.lproj", "Food/Settings.bundle/fr.lproj"),
    ("Food/fr.lproj", "Food/FoodKit/fr.lproj"),
    ("Food/fr.lproj", "Food/Frameworks/Food.framework/fr.lproj"),
    ("Payload/Food.app/fr.lproj", "Payload/Food.app/PlugIns/Share.appex/fr.lproj"),
    ("Payload/Food.app/fr.lproj", "Payload/Food.app/Frameworks/Kit.framework/fr.lproj"),
    ("fr.lproj", "Settings.bundle/fr.lproj"), ("ios/fr.lproj", "ios/Kit.xcframework/fr.lproj"),
    ("Menu/fr.lproj", "Menu/Settings.bundle/fr.lproj"),
  ])
  func aBundleWithinTheAppIsNotTheApp(own: String, inner: String) {
    let files = [
      ("\(own)/Localizable.strings", "DONE = App;"),
      ("\(inner)/Localizable.strings", "DONE = Inner; A = a; B = b; C = c;"),
    ].map { SourceFile(path: $0, bytes: Array($1.utf8)) }
    for files in [files, files.reversed()] {
      for names in [[], ["Food"]] {
        let result = CatalogImporter.read(files, developmentLanguage: "en", appNames: names)
        #expect(text("DONE", result) == .text("App"))
      }
    }
  }

  /// What CFBundle finds first: a table outside of any `.lproj`, then that of the language.
  @Test func aTableBesideTheFoldersCountsInEveryLanguage() {
    let result = read(
      [
        ("Food/Localizable.strings", "ALL = all; SAME = outside;"),
        ("Food/en.lproj/Localizable.strings", "SAME = en; OWN = en;"),
        ("Food/fr.lproj/InfoPlist.strings", "NAME = Nom;"),
      ], lints: false)
    #expect(result.languages == ["en", "fr"])
    let lookup = Lookup(result.catalog)
    for language in ["en", "fr"] {
      for (key, shown) in [("ALL", "all"), ("SAME", "outside")] {
        #expect(lookup.entry(for: key, chain: [language]).entry == .text(shown))
      }
    }
    #expect(
      lookup.deviceResult(for: "ALL", chain: ["fr", "en"])
        == .entry(.text("all"), localization: "fr"))
    // A device reads one of the two files.
    #expect(
      lookup.deviceResult(for: "OWN", chain: ["en"])
        == .uncertain(.text("en"), localization: "en"))
  }

  @Test func aFileForOneDeviceIsReadThereInPlaceOfTheOther() {
    let result = read([
      ("en.lproj/Localizable.strings", "K = Press; ALL = all;"),
      ("en.lproj/Localizable~iphone.strings", "K = Tap; MINE = mine;"),
      ("en.lproj/Localizable~mac.strings", "K = Click;"),
      ("en.lproj/Localizable~fridge.strings", "K = Open;"),
    ])
    #expect(result.diagnostics.isEmpty)
    func shown(_ key: String, _ device: DeviceClass) -> String? {
      result.catalog.entry(key, table: "Localizable", localization: "en")?.format(for: device)?.text
    }
    #expect(shown("K", .iphone) == "Tap")
    #expect(shown("K", .mac) == "Click")
    #expect(shown("K", .ipad) == "Press")
    #expect(shown("MINE", .iphone) == "mine")
    #expect(shown("MINE", .ipad) == nil)
    // An iPhone has no such text.
    #expect(
      Lookup(result.catalog).deviceResult(for: "ALL", chain: ["en"])
        == .uncertain(.text("all"), localization: "en"))
    #expect(Set(result.tables.map(\.name)) == ["Localizable", "Localizable~fridge"])
  }

  /// A compiled app has the devices in one file, and what all others show in another.
  @Test func whatADictionaryDoesNotNameIsInTheOtherFile() {
    let rule =
      "<key>NSStringDeviceSpecificRuleType</key><dict><key>mac</key><string>Click</string></dict>"
    let files = [
      ("en.lproj/Localizable.strings", "K = Press;"),
      (
        "en.lproj/Localizable.stringsdict",
        "<plist><dict><key>K</key><dict>\(rule)</dict>"
          + "<key>L</key><dict>\(rule)</dict></dict></plist>"
      ),
    ]
    for files in [files, files.reversed()] {
      let catalog = read(files).catalog
      func shown(_ key: String, _ device: DeviceClass) -> String? {
        catalog.entry(key, table: "Localizable", localization: "en")?.format(for: device)?.text
      }
      #expect(shown("K", .iphone) == "Press")
      #expect(shown("K", .mac) == "Click")
      #expect(shown("L", .iphone) == nil)
    }
  }

  /// A plural of an extension is no plural of the app.
  @Test func theBundleCountsBeforeTheKindOfFile() {
    let result = read([
      (
        "FoodWidget/fr.lproj/Localizable.stringsdict",
        "<plist><dict><key>DONE</key><string>Extension</string></dict></plist>"
      ),
      ("Food/fr.lproj/Localizable.strings", "DONE = App;"),
    ])
    #expect(text("DONE", result) == .text("App"))
  }

  @Test func anotherBundleFillsInWhatNoDeviceIsSent() {
    let result = read([
      ("Badge/fr.lproj/Localizable.strings", "SAME = a; OTHER = b; THEIRS = c;"),
      ("Food/fr.lproj/Localizable.strings", "SAME = a;\nOTHER = d; OWN = e; MORE = f;"),
    ])
    #expect(text("OTHER", result) == .text("d"))
    #expect(text("THEIRS", result) == .text("c"))
    #expect(result.tables.first?.uncertain == ["OTHER", "THEIRS"])
    #expect(
      result.diagnostics == [
        Diagnostic(
          file: "Badge/fr.lproj/Localizable.strings", line: 1, column: 11, severity: .warning,
          code: .duplicateFile,
          message: "'OTHER' in fr differs from the text of Food/fr.lproj/Localizable.strings, "
            + "which counts.")
      ])
  }

  /// Whatever language it has the table in.
  @Test func noDeviceIsSentTheKeysOfALanguageThatOnlyAnotherBundleHas() {
    let files = [
      ("Food/en.lproj/Localizable.strings", "DONE = Done;"),
      ("Badge/en.lproj/Localizable.strings", "DONE = Done;"),
      ("Badge/fr.lproj/Localizable.strings", "DONE = Fini;"),
      ("Badge/fr.lproj/Badge.strings", "OWN = Badge;"),
    ].map { SourceFile(path: $0, bytes: Array($1.utf8)) }
    for files in [files, files.reversed()] {
      let lookup = Lookup(
        CatalogImporter.read(files, developmentLanguage: "en", appNames: ["Food"]).catalog)
      #expect(
        lookup.deviceResult(for: "DONE", chain: ["fr", "en"])
          == .uncertain(.text("Fini"), localization: "fr"))
      #expect(
        lookup.deviceResult(for: "DONE", chain: ["en"])
          == .entry(.text("Done"), localization: "en"))
      // No other bundle has this table.
      #expect(
        lookup.deviceResult(for: "OWN", table: "Badge", chain: ["fr"])
          == .entry(.text("Badge"), localization: "fr"))
    }
  }

  /// A text of an export, and that of the file: the build ships the file.
  @Test(
    arguments: [
      ("Food", "Prêt", "Pret", ["DONE"]), ("Food", "Prêt", "Prêt", []),
      ("Badge", "Prêt", "Pret", ["DONE"]), ("Badge", "Prêt", "Prêt", []),
    ] as [(String, String, String, Set<Spelling>)])
  func noDeviceIsSentAKeyWhoseTextATranslatorHasChanged(
    bundle: String, sent: String, shipped: String, uncertain: Set<Spelling>
  ) {
    let units = [(original: "\(bundle)/en.lproj/Localizable.strings", text: sent)]
    let result = read([
      ("fr.xliff", Self.exchange(units)),
      ("Food/fr.lproj/Localizable.strings", "DONE = \"\(shipped)\"; MORE = more;"),
    ])
    #expect(text("DONE", result) == .text(sent))
    let table = result.tables.first { $0.localization == "fr" }
    #expect(table?.uncertain == uncertain)
  }

  /// 400 tables, each in 200 languages.
  @Test func tablesOutsideOfTheFoldersAreBounded() {
    let languages = (1000..<1200).map { number in
      (path: "en-\(String(number).dropFirst()).lproj/L.strings", text: "")
    }
    let outside = (0..<400).map { (path: "T\($0).strings", text: "") }
    #expect(read(languages + outside.prefix(2), lints: false).languages.count == 200)
    let result = read(languages + outside, lints: false)
    #expect(result.rejectsFiles)
    #expect(result.diagnostics.map(\.code) == ["limit_exceeded"])
  }

  /// Of 2,788 warnings half said only this.
  @Test func sameTextsInTwoFilesAreNoWarning() {
    #expect(
      read([
        ("Badge/fr.lproj/Localizable.strings", "A = a; B = b;"),
        ("Food/fr.lproj/Localizable.strings", "A = a;"),
      ]).diagnostics.isEmpty)
    let twice = read([
      ("Badge/fr.lproj/Localizable.strings", "A = a;\nB = b;\nC = c;"),
      ("Food/fr.lproj/Localizable.strings", "A = a; B = x; C = x; D = d;"),
    ])
    #expect(
      twice.diagnostics.map(\.message) == [
        "'B' in fr differs from the text of Food/fr.lproj/Localizable.strings, which counts. "
          + "Such texts in this file besides: 1."
      ])
    #expect(twice.diagnostics.map(\.line) == [2])
    // Each bundle has a name of its own.
    let names = [("Badge", "a"), ("Food", "b")].map {
      ("\($0)/fr.lproj/InfoPlist.strings", "CFBundleName = \($1);")
    }
    #expect(read(names).diagnostics.isEmpty)
  }

  @Test func theOldNameOfALanguageIsTheLanguage() {
    let result = read([
      ("English.lproj/InfoPlist.strings", "NAME = \"Food\";"),
      ("English.lproj/Localizable.strings", "OLD = \"%@ came\";"),
      ("en.lproj/Localizable.strings", "NEW = \"%@ went\";"),
      ("fr.lproj/Localizable.strings", "OLD = \"%@ est venu\"; NEW = \"%@ est parti\";"),
    ])
    #expect(result.languages == ["en", "fr"])
    #expect(result.diagnostics.isEmpty)
    for (key, table) in [("NAME", "InfoPlist"), ("OLD", "Localizable"), ("NEW", "Localizable")] {
      #expect(result.catalog.entry(key, table: table, localization: "en") != nil)
    }
  }

  /// Xcode writes `%[name, size]@` for the rows of a predicate editor.
  @Test(arguments: ["%[name, size]@ %[is, is not]@ %@", "%1$[a]@ %2$[b]@ %3$@"])
  func textsOfAPredicateEditorAreNoMistakes(text: String) {
    let lines = [text, text.replacing("%@", with: "% @")].enumerated().map { "k\($0) = \"\($1)\";" }
    let result = read([("en.lproj/Localizable.strings", lines.joined(separator: "\n"))])
    #expect(result.diagnostics.isEmpty)
  }

  @Test func aPluralWithoutANumberIsToldAsWhatItIs() {
    let text = """
      {"version": "1.0", "sourceLanguage": "en", "strings": {"k": {"localizations": {"en": {
      "variations": {"plural": {"one": {"stringUnit": {"value": "Boat"}},
      "other": {"stringUnit": {"value": "Boats"}}}}}}}}}
      """
    let result = read([("Localizable.xcstrings", text)])
    #expect(result.diagnostics.map(\.code) == ["plural_without_number"])
    #expect(result.diagnostics.allSatisfy { !$0.message.contains("Xcode") })
  }
}
