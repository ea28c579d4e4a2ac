import ASCII
import Localization
import Rendering
import Testing

/// Texts that are there and say nothing, or lack the words for a number: the next language stands
/// in, as for a missing key.
@Suite struct FallbackTextTests {
  private static func plural(
    _ cases: [PluralCategory: String], _ text: String = "%#@n@"
  ) -> Entry {
    .plural(
      PluralFormat(text, variables: ["n": PluralVariable(specifier: "d", cases: cases)]))
  }

  private static let tables = [
    table(
      "en",
      [
        "EMPTY": .text("English"), "PLATES": plural([.one: "%d plate", .other: "%d plates"]),
        "NOTHING": .text(""), "ONE_ONLY": plural([.one: "%d plate"]), "NAME": .text("%@"),
        "BY_DEVICE": .devices([.iphone: PluralFormat("English")]),
        "ONLY_MAC": .devices([.iphone: PluralFormat("Tap")]),
        "HIDDEN": plural([.other: "%d in English"]),
      ]),
    table(
      "fr",
      [
        "EMPTY": .text(""), "PARENT": .text("Parent"),
        "PLATES": plural([.one: "%d assiette", .many: "%d d’assiettes"]),
        "MIDDLE": plural([.one: "%d assiette"], "Voici %#@n@."), "NOTHING": .text(""),
        "ONE_ONLY": plural([.one: "%d assiette"]), "NAME": .text("%@"),
        "BY_DEVICE": .devices([.iphone: PluralFormat(""), .ipad: PluralFormat("Tablette")]),
        "ONLY_MAC": .devices([.mac: PluralFormat("Cliquez")]),
        "NOBODYS": .devices([.mac: PluralFormat("Cliquez")]),
        "HIDDEN": plural([.zero: "", .one: "", .other: "%d autres"]),
        "ALL_HIDDEN": plural([.other: ""]),
      ]),
    table("fr-CA", ["PARENT": .text(""), "EMPTY": plural([.other: ""])]),
  ]

  private static func table(_ language: String, _ entries: [Spelling: Entry]) -> StringTable {
    StringTable(localization: language, name: "Localizable", entries: entries)
  }

  @Test(arguments: [
    // key, number → text, language, codes
    ("EMPTY", 1, "English", "en", "empty_text empty_text development_language_used"),
    ("PARENT", 1, "Parent", "fr", "empty_text"),
    ("PLATES", 1, "1 assiette", "fr", "key_not_in_localization"),
    (
      "PLATES", 5, "5 plates", "en",
      "key_not_in_localization missing_plural_case development_language_used"
    ),
    ("MIDDLE", 1, "Voici 1 assiette.", "fr", "key_not_in_localization"),
    // No language has the words, and something is better than nothing.
    ("MIDDLE", 5, "Voici 5 assiette.", "fr", "missing_plural_case"),
    ("ONE_ONLY", 5, "5 assiette", "fr", "missing_plural_case"),
    (
      "BY_DEVICE", 1, "English", "en",
      "key_not_in_localization empty_text development_language_used"
    ),
    (
      "ONLY_MAC", 1, "Tap", "en",
      "key_not_in_localization missing_device_variant development_language_used"
    ),
    ("HIDDEN", 0, "0 autres", "fr", "key_not_in_localization"),
    ("HIDDEN", 1, "1 autres", "fr", "key_not_in_localization"),
  ])
  func theNextLanguageStandsIn(
    key: String, number: Int, text: String, language: String, codes: String
  ) throws {
    let content = try render(key, number)
    #expect(content.payloadText == #"{"aps":{"alert":{"body":"\#(text)"}}}"#)
    #expect(content.language == language)
    #expect(content.codes == codes.split(separator: " ").map(String.init))
    #expect(content.refusal == nil)
  }

  @Test(arguments: ["NOTHING", "ALL_HIDDEN"]) func whereNoLanguageSaysAnythingNothingIsShown(
    key: String
  ) throws {
    let content = try render(key, 1)
    #expect(content.codes == ["empty_text", "nothing_to_show"])
    #expect(content.refusal != nil)
  }

  /// A person at an iPhone is not told to click.
  @Test func theTextOfAnotherDeviceIsNoText() throws {
    let content = try render("NOBODYS", 1)
    #expect(content.codes == ["missing_device_variant", "missing_key", "nothing_to_show"])
    #expect(content.refusal != nil)
  }

  @Test func theCatalogOfTheServiceStandsInForOneThatSaysNothing() throws {
    let content = try render(
      "NOTHING", 1, server: [Self.table("fr", ["NOTHING": .text("Du serveur")])])
    #expect(content.payloadText == #"{"aps":{"alert":{"body":"Du serveur"}}}"#)
    #expect(content.codes == ["other_catalog_used"])
  }

  @Test func anArgumentThatIsAKeyIsLookedForInTheSameWay() throws {
    var scene = Scene(
      """
      {"alert": {"body": {"key": "NAME", "args": ["what"]}},
       "parameters": {"what": {"type": "string"}}}
      """)
    scene.tables = Self.tables
    scene.arguments = #"{"what": {"loc-key": "PLATES", "loc-args": [5]}}"#
    #expect(try scene.render().payloadText == #"{"aps":{"alert":{"body":"5 plates"}}}"#)
    scene.arguments = #"{"what": {"loc-key": "EMPTY"}}"#
    #expect(try scene.render().payloadText == #"{"aps":{"alert":{"body":"English"}}}"#)
  }

  @Test func markupOfAMessageAndOfItsKeysIsNeverShown() throws {
    var scene = Scene(
      """
      {"alert": {"title": "^[Bienvenu](morphology: {number: 'singular'}), {name}",
                 "body": {"key": "NAME", "args": ["name"]}},
       "parameters": {"name": {"type": "string"}}}
      """)
    scene.arguments = #"{"name": "^[Zoé](inflect: true)"}"#
    scene.tables = [Self.table("fr", ["NAME": .text("^[Cher](inflect: true) %@")])]
    #expect(
      try scene.render().payloadText
        == #"{"aps":{"alert":{"body":"Cher ^[Zoé](inflect: true)","#
        + #""title":"Bienvenu, ^[Zoé](inflect: true)"}}}"#)
  }

  private func render(
    _ key: String, _ number: Int, server: [StringTable]? = nil
  ) throws -> RenderedContent {
    var scene = Scene(
      """
      {"alert": {"body": {"key": "\(key)", "args": ["n"]}},
       "parameters": {"n": {"type": "integer"}}}
      """)
    scene.arguments = #"{"n": \#(number)}"#
    scene.tables = Self.tables
    scene.serverTables = server
    return try scene.render()
  }
}
