import ASCII
import Localization
import TestSupport
import Testing

@testable import CatalogFormats

@Suite struct XLIFFTests {
  @Test func aFileYieldsItsSourcesAndItsTargets() throws {
    let contents = read(
      """
      <file original="App/en.lproj/Main.strings" source-language="en" target-language="zh_Hans">
      <header><tool tool-name="x"/><note>no</note></header><body>
      <trans-unit id="a &quot;b&quot;" xml:space="preserve"><source> A &amp; B </source>
        <target state="translated">甲</target><note>n</note></trans-unit>
      <group><trans-unit id="c|==|plural.one"><alt-trans><source>no</source></alt-trans>
        <source>C</source></trans-unit></group>
      </body></file>
      <file original="Info.plist" source-language="en"><body/></file>
      """, recordsPlaces: true)
    #expect(contents.diagnostics.isEmpty)
    #expect(contents.tables.map(\.name) == ["Main", "Main"])
    #expect(contents.tables.map(\.localization) == ["en", "zh_Hans"])
    #expect(contents.tables.map(\.origin) == [.exchangeSource, .exchangeTarget])
    let (source, target) = (try #require(contents.tables.first), try #require(contents.tables.last))
    // The units of a .strings file are its keys, whatever they look like.
    #expect(source.entries == ["a \"b\"": .text(" A & B "), "c|==|plural.one": .text("C")])
    #expect(target.entries == ["a \"b\"": .text("甲")])
    #expect(source.states.isEmpty)
    #expect(target.states == ["translated": 1, "missing": 1])
    #expect(target.places["a \"b\""] == Place(line: 4, column: 1))
    #expect(target.places["c|==|plural.one"] == Place(line: 6, column: 8))
  }

  @Test func aUnitThatOccursAgainMovesNoKeyThatStandsBeforeIt() {
    let contents = read(
      "<file original='L.xcstrings' source-language='en'><body>\n"
        + ["a", "b", "a"].map { "<trans-unit id='\($0)'><source>\($0)</source></trans-unit>" }
        .joined(separator: "\n") + "</body></file>", recordsPlaces: true)
    #expect(contents.diagnostics.map(\.code) == ["duplicate_key"])
    let places = contents.tables.first?.places ?? [:]
    #expect(places["a"].map { $0.line + 1 } == places["b"]?.line)
  }

  @Test func theTwoFilesOfOneTableComplementEachOther() {
    let text = """
      <xliff version="1.2">
      <file original="en.lproj/L.strings" source-language="en" target-language="de"><body>
      \(unit("a", "A", "<target>ä</target>"))\(unit("n", "N", "<target>falsch</target>"))
      </body></file>
      <file original="en.lproj/L.stringsdict" source-language="en" target-language="de"><body>
      \(unit("/n:dict/NSStringLocalizedFormatKey:dict/:string", "%#@n@", "<target>%#@n@</target>"))
      \(unit("/n:dict/n:dict/other:dict/:string", "%d", "<target>%d!</target>"))
      </body></file></xliff>
      """
    let result = CatalogImporter.read(
      [SourceFile(path: "de.xliff", bytes: Array(text.utf8))], developmentLanguage: "en")
    #expect(result.diagnostics.isEmpty)
    #expect(result.catalog.entry("a", table: "L", localization: "de") == .text("ä"))
    for language in ["en", "de"] {
      guard case .plural? = result.catalog.entry("n", table: "L", localization: language) else {
        return #expect(Bool(false), "no plural in \(language)")
      }
    }
  }

  @Test(arguments: [
    ("", nil, "missing"), ("<target/>", nil, "missing"), ("<target>T</target>", "T", "translated"),
    ("<target state='translated'>T</target>", "T", "translated"),
    ("<target state='translated'/>", "", "translated"),
    ("<target state='final'>T</target>", "T", "final"),
    ("<target state='x-mine'>T</target>", "T", "x-mine"),
    ("<target state='new'>T</target>", nil, "new"), ("<target state='new'/>", nil, "new"),
    ("<target state='needs-review-l10n'>T</target>", "T", "needs-review-l10n"),
    ("<target state='needs-review-adaptation'>T</target>", nil, "needs-review-adaptation"),
    ("<target state='needs-review-translation'>T</target>", nil, "needs-review-translation"),
    ("<target state='needs-translation'>T</target>", nil, "needs-translation"),
    ("<target state='needs-adaptation'>T</target>", nil, "needs-adaptation"),
    ("<target state='needs-l10n'>T</target>", nil, "needs-l10n"),
  ])
  func theStateDecidesWhetherATargetIsTaken(target: String, text: String?, state: String) {
    let contents = read(unit("k", "S", target))
    #expect(contents.diagnostics.isEmpty)
    #expect(contents.tables.last?.entries == (text.map { ["k": .text($0)] } ?? [:]))
    #expect(contents.tables.last?.states == [state: 1])
  }

  @Test(
    arguments: [
      ("k", "k", .text([])),
      ("a|==|b", "a|==|b", .text([])),
      ("a|b|==|plural.one", "a|b", .text([.plural(.one)])),
      ("|==|plural.one", "", .text([.plural(.one)])),
      ("k|==|device.mac", "k", .text([.device(.mac)])),
      ("k|==|device.other.plural.few", "k", .text([.device(.other), .plural(.few)])),
      ("k|==|width.20", "k", .text([.width(20)])),
      ("k|==|substitutions.n.plural.other", "k", .text([.substitution("n"), .plural(.other)])),
      ("/k:dict/:string", "k", .text([])),
      ("/a/b:dict/c:dict/NSStringLocalizedFormatKey:dict/:string", "a/b:dict/c", .text([])),
      ("/a/b:c:dict/n:dict/one:dict/:string", "a/b:c", .text([.substitution("n"), .plural(.one)])),
      ("/k:dict/n:dict/NSStringFormatValueTypeKey:dict/:string", "k", .specifier("n", [])),
      ("/k:dict/n:dict/NSStringFormatSpecTypeKey:dict/:string", "k", .rule),
      ("/k:dict/NSStringDeviceSpecificRuleType:dict/mac:dict/:string", "k", .text([.device(.mac)])),
      ("/k:dict/NSStringVariableWidthRuleType:dict/9:dict/:string", "k", .text([.width(9)])),
      (
        "/k:dict/NSStringDeviceSpecificRuleType:dict/ipad:dict/NSStringVariableWidthRuleType:dict/"
          + "40:dict/:string", "k", .text([.device(.ipad), .width(40)])
      ),
      (
        "/k:dict/NSStringVariableWidthRuleType:dict/9:dict/NSStringDeviceSpecificRuleType:dict/"
          + "mac:dict/NSStringLocalizedFormatKey:dict/:string", "k",
        .text([.width(9), .device(.mac)])
      ),
      (
        "/k:dict/NSStringDeviceSpecificRuleType:dict/mac:dict/n:dict/one:dict/:string", "k",
        .text([.device(.mac), .substitution("n"), .plural(.one)])
      ),
      (
        "/k:dict/NSStringDeviceSpecificRuleType:dict/mac:dict/n:dict/"
          + "NSStringFormatValueTypeKey:dict/:string", "k", .specifier("n", [.device(.mac)])
      ),
      ("k|==|device.ipad.width.20", "k", .text([.device(.ipad), .width(20)])),
      (
        "k|==|device.ipad.width.20.plural.one", "k",
        .text([.device(.ipad), .width(20), .plural(.one)])
      ),
      ("/k:dict/n", "/k:dict/n", .text([])),
    ] as [(String, String, XLIFFIdentifier.Part)])
  func idsAreReadFromTheirEnd(id: String, key: String, part: XLIFFIdentifier.Part) throws {
    let identifier = try XLIFFIdentifier(id, original: "App/Localizable.xcstrings")
    #expect(identifier.key == key)
    #expect(identifier.part == part)
    #expect(try XLIFFIdentifier(id, original: "en.lproj/A.strings").key == id)
  }

  @Test(arguments: [
    ("k|==|plural.lots", "warning unknown_category"),
    ("k|==|plural", "error unsupported_variation"),
    ("k|==|device.fridge", "warning unknown_device"),
    ("k|==|width.wide", "warning unknown_width"),
    ("k|==|device.mac.mac", "error unsupported_variation"),
    ("k|==|plural.one.device.mac", "error unsupported_variation"),
    ("k|==|substitutions.n", "error unsupported_variation"),
    ("k|==|plural.one|==|plural.one", "error ambiguous_key"),
    ("/k:dict/n:dict/lots:dict/:string", "warning unknown_category"),
    ("/k:dict/one:dict/:string", "error unsupported_variation"),
    (
      "/k:dict/NSStringDeviceSpecificRuleType:dict/fridge:dict/"
        + "NSStringLocalizedFormatKey:dict/:string",
      "warning unknown_device"
    ),
    ("k|==|device.mac.device.ipad", "error unsupported_variation"),
  ])
  func idsThatMeanNothingAreLeftOut(id: String, expected: String) {
    let contents = read(unit(id, "S", "<target>T</target>") + unit("z", "S", ""))
    #expect(contents.diagnostics.map(\.summary) == ["\(expected) 3:1"])
    #expect(contents.tables.first?.entries == ["z": .text("S")])
  }

  @Test func thePartsOfACatalogsKeyMakeOneEntry() {
    let contents = read(
      unit("n", "%1$#@files@ in %2$#@folders@", "")
        + unit(
          "n|==|substitutions.files.plural.one", "%1$lld file", "<target>%1$lld Datei</target>")
        + unit("n|==|substitutions.files.plural.other", "%1$lld files", "<target>%1$lld D</target>")
        + unit(
          "n|==|substitutions.folders.plural.other", "%2$ld folders", "<target>%2$ld O</target>")
        + unit("p|==|plural.other", "%@ has %lld", "<target>%@ hat %lld</target>")
        + unit("d|==|device.mac", "Click", "<target>Klick</target>")
        + unit("d|==|device.other.plural.other", "%lld taps", "")
        + unit("e|==|device.mac", "Click", "")
        + unit("e|==|device.other", "Tap", "<target>Tippen</target>"))
    #expect(contents.diagnostics.map(\.summary) == ["warning incomplete_translation 8:1"])
    func variable(_ argument: Int?, _ specifier: String, one: String? = nil, _ other: String)
      -> PluralVariable
    {
      var cases: [PluralCategory: String] = [.other: other]
      cases[.one] = one
      return PluralVariable(argument: argument, specifier: specifier, cases: cases)
    }
    func entry(_ one: String, _ files: String, _ folders: String) -> Entry {
      .plural(
        PluralFormat(
          "%1$#@files@ in %2$#@folders@",
          variables: [
            "files": variable(1, "lld", one: one, files), "folders": variable(2, "ld", folders),
          ]))
    }
    func value(_ other: String) -> Entry {
      .plural(PluralFormat("%#@value@", variables: ["value": variable(2, "lld", other)]))
    }
    let taps = PluralFormat("%#@value@", variables: ["value": variable(nil, "lld", "%lld taps")])
    #expect(
      contents.tables.first?.entries == [
        "n": entry("%1$lld file", "%1$lld files", "%2$ld folders"),
        "p": value("%1$@ has %2$lld"),
        "d": .devices([.mac: PluralFormat("Click"), .other: taps]),
        "e": .devices([.mac: PluralFormat("Click"), .other: PluralFormat("Tap")]),
      ])
    // The format of "n" is the source's; "d" lacks what stands in for all other devices.
    #expect(
      contents.tables.last?.entries == [
        "n": entry("%1$lld Datei", "%1$lld D", "%2$ld O"),
        "p": value("%1$@ hat %2$lld"), "e": .devices([.other: PluralFormat("Tippen")]),
      ])
    #expect(contents.tables.map(\.uncertain) == [[], ["d"]])
  }

  @Test func thePartsOfAStringsdictsKeyMakeOneEntry() {
    func id(_ path: String) -> String { "/a/b:dict/\(path):dict/:string" }
    let contents = read(
      unit(id("NSStringLocalizedFormatKey"), "%1$@: %2$#@n@", "")
        + unit(id("n:dict/NSStringFormatSpecTypeKey"), "NSStringPluralRuleType", "")
        + unit(id("n:dict/NSStringFormatValueTypeKey"), "lu", "")
        + unit(id("n:dict/one"), "one", "<target>eins</target>")
        + unit(id("n:dict/other"), "%2$lu", "<target>%2$lu!</target>"),
      original: "en.lproj/Localizable.stringsdict")
    #expect(contents.diagnostics.isEmpty)
    let entries = [("one", "%2$lu"), ("eins", "%2$lu!")].map { one, other -> [Spelling: Entry] in
      let variable = PluralVariable(specifier: "lu", cases: [.one: one, .other: other])
      return ["a/b": .plural(PluralFormat("%1$@: %2$#@n@", variables: ["n": variable]))]
    }
    #expect(contents.tables.map(\.entries) == entries)
  }

  @Test(
    arguments: [
      (
        unit("k", "S", "<target>T</target>") + unit("k", "U", "<target>V</target>"),
        ["warning duplicate_key 4:1"], "U", "V"
      ),
      (
        unit("k", "<g id='1'>S</g><x id='2'/>s", "<target><ph id='1'>T</ph></target>"),
        ["warning inline_markup 3:", "warning inline_markup 3:", "warning inline_markup 3:"], "Ss",
        "T"
      ),
      (unit("k", "S", "<target state='done'>T</target>"), ["warning unknown_state 3:1"], "S", "T"),
      ("<trans-unit><source>S</source></trans-unit>\n", ["error malformed_xliff 3:1"], nil, nil),
      ("<trans-unit id='k'><target>T</target></trans-unit>\n", [], nil, "T"),
      ("<trans-unit id='k'/>\n", [], nil, nil),
      (unit("k", "%#@n@", "<target>%#@n@</target>"), ["error undefined_variable 3:1"], nil, nil),
      (
        unit("k|==|plural.one", "S", "<target>T</target>") + unit("k|==|plural.other", "%d", ""),
        ["warning incomplete_translation 3:1"], "", nil
      ),
      (
        unit("k", "S", "<target>T</target>")
          + unit("k|==|plural.other", "%d", "<target>%d!</target>"),
        ["warning conflicting_variations 3:1"], "", ""
      ),
    ] as [(String, [String], String?, String?)])
  func whatDoesNotFitIsSaidWhereItStands(
    units: String, expected: [String], source: String?, target: String?
  ) {
    let contents = read(units + unit("z", "Z", "<target>z</target>"))
    #expect(contents.diagnostics.count == expected.count)
    for (diagnostic, expected) in zip(contents.diagnostics, expected) {
      #expect(diagnostic.summary.hasPrefix(expected))
    }
    #expect(contents.tables.map { $0.entries["z"] } == [.text("Z"), .text("z")])
    for (table, text) in zip(contents.tables, [source, target]) {
      switch table.entries["k"] {
      case .text(let found): #expect(found == text)
      case .some: #expect(text == "")
      case nil: #expect(text == nil)
      }
    }
  }

  @Test(arguments: [
    ("<xliff version='2.0'/>", "error unsupported_format 1:1", 0),
    ("<list/>", "error malformed_xliff 1:1", 0), ("", "error malformed_xml 1:1", 0),
    ("<xliff>", "error malformed_xml 1:2", 0),
    ("<xliff>\(file("source-language='en'"))</xliff>", "error malformed_xliff 1:8", 0),
    ("<xliff>\(file("original='a.strings'"))</xliff>", "error malformed_xliff 1:8", 0),
    ("<xliff>\(file("original='/' source-language='en'"))</xliff>", "error malformed_xliff 1:8", 0),
    // Tables that no app has, and so no message names.
    (
      "<xliff>\(file("original='en.json' source-language='en'"))</xliff>",
      "error malformed_xliff 1:8", 0
    ),
    (
      "<xliff>\(file("original='global' source-language='en'"))</xliff>",
      "error malformed_xliff 1:8", 0
    ),
    (
      "<xliff>\(file("original='a.strings' source-language='en'"))</xliff>",
      "error malformed_xliff 1:8", 1
    ),
    (
      "<xliff>\(file("original='a.strings' source-language='e n' target-language='fr'"))</xliff>",
      "error no_localization 1:8", 1
    ),
    (
      "<xliff>\(file("original='a.strings' source-language='en' target-language=''"))</xliff>",
      "error no_localization 1:8", 1
    ),
  ])
  func filesThatLackWhatTheyNeed(text: String, expected: String, tables: Int) {
    let contents = read(document: text)
    #expect(contents.diagnostics.map(\.summary) == [expected])
    #expect(contents.tables.count == tables)
  }

  /// Xcode 27 writes no source, or the id as the source, where only the translation varies so.
  @Test(arguments: ["", "<source>ID</source>"])
  func aTranslationMayVaryByMoreThanItsSource(source: String) {
    func part(_ category: String, _ target: String) -> String {
      let id = "boats|==|substitutions.n.plural.\(category)"
      return "<trans-unit id=\"\(id)\">\(source.replacing("ID", with: id))"
        + "<target>\(target)</target></trans-unit>"
    }
    let contents = read(
      unit("boats", "%lld boats", "<target>Total %1$#@n@</target>")
        + part("many", "%1$lld de bateaux") + part("other", "%1$lld bateaux")
        + "<trans-unit id=\"eggs|==|plural.one\"><target>%lld œuf</target></trans-unit>"
        + "<trans-unit id=\"eggs|==|plural.other\"><target>%lld œufs</target></trans-unit>"
        + unit("eggs", "%lld eggs", ""))
    #expect(contents.diagnostics.isEmpty)
    #expect(contents.entriesLeftOut == 0)
    #expect(contents.tables.first?.entries["boats"] == .text("%lld boats"))
    #expect(contents.tables.first?.entries["eggs"] == .text("%lld eggs"))
    #expect(contents.tables.last?.entries["boats"]?.format(for: .iphone)?.variables.count == 1)
    #expect(contents.tables.last?.entries["eggs"]?.format(for: .iphone)?.text == "%#@value@")
  }

  @Test(arguments: [
    ("App\\en.lproj\\Localizable.strings", "Localizable"), ("Main.storyboard", "Main"),
    ("App/en.lproj/Localizable~ipad.strings", "Localizable"), ("a.b.strings", "a.b"),
  ])
  func theOriginalNamesTheTable(original: String, table: String) {
    let contents = read(unit("k", "S", "<target>T</target>"), original: original)
    #expect(contents.tables.map(\.name) == [table, table])
    let device: DeviceClass = original.contains("~") ? .mac : .iphone
    #expect((contents.tables.last?.entries["k"]?.format(for: device) == nil) == (device == .mac))
  }

  @Test func theImporterPrefersTranslationsAndCountsTheirStates() {
    let result = CatalogImporter.read(
      [
        SourceFile(path: "fr.lproj/Localizable.strings", bytes: Array("k = old; o = old;".utf8)),
        SourceFile(
          path: "fr.xliff",
          bytes: Array(document(unit("k", "S", "<target>new</target>"), "A.strings").utf8)),
      ], developmentLanguage: "en")
    #expect(!result.hasErrors)
    let catalog = result.catalog
    #expect(catalog.entry("k", table: "Localizable", localization: "fr") == .text("old"))
    #expect(catalog.entry("k", table: "A", localization: "fr") == .text("new"))
    #expect(catalog.entry("k", table: "A", localization: "en") == .text("S"))
    #expect(result.states == ["fr": ["translated": 1]])
  }

  @Test func aFileCutOrDamagedAnywhereDoesNotCrash() {
    let text = document(
      unit("é|==|substitutions.n.plural.other", "%arg", "<target state='new'>T</target>"), "A.xib")
    let bytes = Array(text.utf8)
    for count in 0..<bytes.count {
      #expect(read(bytes: Array(bytes[..<count])).tables.isEmpty, "\(count)")
    }
    var random = SplitMix64(seed: 0x71)
    for _ in 0..<5000 {
      var damaged = bytes
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        damaged[Int.random(in: damaged.indices, using: &random)] =
          .random(in: 0...255, using: &random)
      }
      _ = read(bytes: damaged)
    }
  }

  @Test(
    .timeLimit(.minutes(10)),
    arguments: [
      "<group>", "<g>", "<file>", "<file original='a' source-language='en'/>",
      "<trans-unit id='a'>",
      "<trans-unit id='a'><source/></trans-unit>", "<source>", "<trans-unit/>",
      "<trans-unit id='a|==|plural.one'><source/><target state='?'/></trans-unit>",
    ]
  )
  func halfAMegabyteOfOneThingTakesNoQuadraticTime(token: String) {
    func units(of bytes: Int) -> String {
      String(repeating: token, count: bytes / token.utf8.count)
    }
    let growth = Growth.ofWork(on: units(of: 1 << 17), and: units(of: 1 << 19)) { _ = read($0) }
    #expect(growth < Growth.limit)
  }

  @Test(
    .timeLimit(.minutes(10)),
    arguments: [("", "|==|plural.", ""), ("/", ":dict/", ":dict/:string")])
  func longIdsTakeNoQuadraticTime(start: String, part: String, end: String) {
    func units(of parts: Int) -> String {
      unit(start + String(repeating: part, count: parts) + end, "S", "")
    }
    let growth = Growth.ofWork(on: units(of: 12_500), and: units(of: 50_000)) { _ = read($0) }
    #expect(growth < Growth.limit)
  }
}

private func unit(_ id: String, _ source: String, _ target: String) -> String {
  "<trans-unit id=\"\(id)\"><source>\(source)</source>\(target)</trans-unit>\n"
}

private func file(_ attributes: String) -> String {
  "<file \(attributes)><body>\(unit("k", "S", "<target>T</target>"))</body></file>"
}

private func document(_ units: String, _ original: String) -> String {
  """
  <?xml version="1.0"?><xliff xmlns="urn:oasis:names:tc:xliff:document:1.2" version="1.2">
  <file original="\(original)" source-language="en" target-language="fr"><body>
  \(units)</body></file></xliff>
  """
}

private func read(_ units: String, original: String = "App/Localizable.xcstrings") -> FileContents {
  read(bytes: Array(document(units, original).utf8))
}

private func read(_ files: String, recordsPlaces: Bool) -> FileContents {
  read(document: "<xliff version='1.2'>\n\(files)</xliff>", recordsPlaces: recordsPlaces)
}

private func read(document: String, recordsPlaces: Bool = false) -> FileContents {
  read(bytes: Array(document.utf8), recordsPlaces: recordsPlaces)
}

private func read(bytes: [UInt8], recordsPlaces: Bool = false) -> FileContents {
  XLIFFReader.read(SourceFile(path: "fr.xliff", bytes: bytes), recordsPlaces: recordsPlaces)
}
