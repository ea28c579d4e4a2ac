import ASCII
import Localization
import Testing

@Suite struct CatalogTests {
  private let catalog = Catalog(
    developmentLanguage: "en",
    tables: [
      table("zh_Hans", "Localizable", ["HELLO": "你好"]),
      table("Base", "Localizable", ["HELLO": "Hello", "BYE": "Bye", "ONLY": "Only here"]),
      table("fr", "Localizable", ["HELLO": "Bonjour", "BYE": "Au revoir %@"]),
      table("fr-CA", "Localizable", ["HELLO": "Allô"]),
      table("fr", "InfoPlist", ["NAME": "Nom"]),
    ])

  @Test func baseStandsForTheDevelopmentLanguage() {
    #expect(catalog.languages == ["zh_Hans", "en", "fr", "fr-CA"])
    #expect(
      catalog.entry("HELLO", table: "Localizable", localization: "en") == .text("Hello"))
    #expect(Array(catalog.items(language: "en")).count == 3)
    #expect(Array(catalog.items(language: "fr")).count == 3)
    #expect(Array(catalog.items(language: "de")).isEmpty)
  }

  /// A bundle asks the first localization, then `Base`, then the others.
  @Test(
    arguments: [
      // chain, key → what the server shows, what a device finds
      (["en"], "A", "proper", "proper"), (["en", "fr"], "A", "proper", "proper"),
      (["fr", "en"], "A", "base", "base"), (["fr-CA", "fr", "en"], "A", "base", "base"),
      (["de", "en"], "A", "base", nil), (["de", "fr", "en"], "A", "base", nil),
      (["de", "en"], "G", "Deutsch", "Deutsch"), (["de", "en"], "P", "proper", nil),
      (["en"], "B", "base", "base?"), (["fr", "en"], "B", "base", "base"),
      (["fr", "en"], "P", "proper", nil), (["en"], "C", "base", nil),
    ] as [([String], String, String, String?)])
  func baseComesBeforeTheDevelopmentLanguageAndBehindTheFirst(
    chain: [String], key: String, shown: String, found: String?
  ) {
    let catalog = Catalog(
      developmentLanguage: "en",
      tables: [
        table("Base", "Localizable", ["A": "base", "B": "base"]),
        table("Base", "Main", ["C": "base"]),
        table("en", "Localizable", ["A": "proper", "P": "proper"]),
        table("fr", "Main", ["C": "français"]),
        table("de", "Localizable", ["G": "Deutsch"]),
      ])
    let name = key == "C" ? "Main" : "Localizable"
    #expect(Lookup(catalog).entry(for: key, table: name, chain: chain).entry == .text(shown))
    #expect(catalog.languages == ["en", "fr", "de"])
    switch Lookup(catalog).deviceResult(for: key, chain: chain) {
    case .entry(let entry, _): #expect(entry == found.map(Entry.text))
    case .uncertain(let entry, _): #expect(entry == found.map { .text(String($0.dropLast())) })
    case .keyMissing, .tableMissing: #expect(found == nil)
    }
  }

  @Test func aTableOfTheDevelopmentLanguageComesBeforeTheOneOfBase() {
    let catalog = Catalog(
      developmentLanguage: "en",
      tables: [
        table("English", "Localizable", ["A": "proper"]),
        table("Base", "Localizable", ["A": "base", "B": "base"]),
        table("Base", "Main", ["C": "base"]),
      ])
    #expect(catalog.developmentLanguage == "English")
    #expect(catalog.languages == ["English"])
    #expect(catalog.items().map(\.key) == ["A", "B", "C"])
    #expect(catalog.entry("A", table: "Localizable", localization: "English") == .text("proper"))
  }

  @Test func entriesAreListedByTableLanguageAndKey() {
    let addresses = catalog.items().map { "\($0.table)/\($0.language)/\($0.key)" }
    #expect(
      addresses == [
        "InfoPlist/fr/NAME", "Localizable/en/BYE", "Localizable/en/HELLO", "Localizable/en/ONLY",
        "Localizable/fr/BYE", "Localizable/fr/HELLO", "Localizable/fr-CA/HELLO",
        "Localizable/zh_Hans/HELLO",
      ])
    #expect(catalog.items(language: "fr", key: "HELLO").map(\.entry) == [.text("Bonjour")])
    #expect(Array(catalog.items(table: "Nothing")).isEmpty)
    for (language, key) in [(nil, nil), ("fr", nil), (nil, "HELLO"), ("fr", "NAME")] {
      let all = Array(catalog.items(language: language, key: key))
      for count in 0...all.count + 1 {
        var items = catalog.items(language: language, key: key)
        items.skip(count)
        #expect(Array(items) == Array(all.dropFirst(count)))
        var rest = catalog.items(language: language, key: key)
        _ = rest.next()
        rest.skip(count)
        #expect(Array(rest) == Array(all.dropFirst(count + 1)))
      }
    }
    #expect(Array(catalog.items(key: "NAME")).count == 1)
  }

  @Test(arguments: [
    // chain, key → text, localization, codes
    (["fr-CA", "fr", "en"], "HELLO", "Allô", "fr-CA", [String]()),
    (["fr-CA", "fr", "en"], "BYE", "Au revoir %@", "fr", ["key_not_in_localization"]),
    (
      ["fr-CA", "fr"], "ONLY", "Only here", "en",
      ["key_not_in_localization", "key_not_in_localization", "development_language_used"]
    ),
    (["en"], "ONLY", "Only here", "en", []),
  ])
  func aTextIsSearchedAlongTheChain(
    chain: [String], key: String, text: String, localization: String, codes: [String]
  ) {
    let result = Lookup(catalog).entry(for: key, chain: chain)
    #expect(result.entry == .text(text))
    #expect(result.localization == localization)
    #expect(result.problems.map(\.code) == codes)
  }

  @Test func aKeyThatNobodyHasFallsBackToTheLiteral() {
    let lookup = Lookup(catalog)
    let literal = lookup.entry(for: "NONE", chain: ["fr"], literal: "Literal")
    #expect(literal.entry == .text("Literal"))
    #expect(literal.localization == nil)
    #expect(literal.problems.last == LocalizationProblem(.literalUsed, detail: "NONE"))
    let nothing = lookup.entry(for: "NONE", chain: ["fr"])
    #expect(nothing.entry == nil)
    #expect(nothing.problems.last == LocalizationProblem(.missingKey, detail: "NONE"))
  }

  @Test func theDeviceLooksOnlyIntoTheFirstLocalizationWithTheTable() {
    let lookup = Lookup(catalog)
    #expect(
      lookup.deviceResult(for: "BYE", chain: ["fr-CA", "fr"]) == .keyMissing(localization: "fr-CA"))
    #expect(
      lookup.deviceResult(for: "BYE", chain: ["fr", "en"])
        == .entry(.text("Au revoir %@"), localization: "fr"))
    #expect(
      lookup.deviceResult(for: "NAME", table: "InfoPlist", chain: ["fr-CA", "fr", "en"])
        == .entry(.text("Nom"), localization: "fr"))
    #expect(lookup.deviceResult(for: "X", table: "Nothing", chain: ["fr"]) == .tableMissing)
  }

  @Test func aMemoAnswersAsTheCatalogDoesAndStaysWithinItsBound() {
    var memo = MatchMemo(capacity: 2)
    for text in ["fr-CA", "ja", "fr-CA", "zh-Hans-CN", "fr"] {
      let tags = [text].compactMap { LanguageTag($0) }
      #expect(memo.chain(for: tags, in: catalog, catalogID: 1) == catalog.chain(for: tags))
      #expect(memo.count <= 2)
    }
    // Nobody has so many languages: whoever makes them up keeps nothing of others out.
    let kept = memo.count
    let many = ["fr", "ja", "de", "da", "sv", "nb", "fi", "it", "es"].compactMap { LanguageTag($0) }
    #expect(memo.chain(for: many, in: catalog, catalogID: 1) == catalog.chain(for: many))
    #expect(memo.count == kept)
    let other = Catalog(developmentLanguage: "de", tables: [table("ja", "T", [:])])
    let japanese = ["ja"].compactMap { LanguageTag($0) }
    #expect(memo.chain(for: japanese, in: other, catalogID: 2) == ["ja", "de"])
    #expect(memo.chain(for: japanese, in: catalog, catalogID: 1) == ["en"])
  }
}

private func table(
  _ localization: String, _ name: String, _ texts: [String: String]
) -> StringTable {
  StringTable(
    localization: localization, name: name,
    entries: Dictionary(uniqueKeysWithValues: texts.map { (Spelling($0), .text($1)) }))
}
