import APNs
import ASCII
import Localization
import Testing

@testable import Rendering

@Suite struct DeviceSimulatorTests {
  private static let tables = [
    Scene.table(
      "en",
      [
        "PLAIN": "Hello", "ONLY_EN": "English only", "ONE": "Order %@", "TWO": "%2$@, then %1$@",
        "SHARE": "100%% of %@", "BROKEN": "%d %ld %5d %1$d %s|% |%", "EMPTY": "",
      ]),
    StringTable(
      localization: "fr", name: "Localizable",
      entries: [
        "PLAIN": .text("Bonjour"), "TWO": .text("%@ puis %@"),
        "COUNT": .plural(
          PluralFormat(
            "%#@count@ de %@",
            variables: ["count": PluralVariable(specifier: "d", cases: [.other: "%d commandes"])])),
        "WHERE": .devices([
          .iphone: PluralFormat("Sur cet iPhone"), .mac: PluralFormat("Sur ce Mac"),
        ]),
      ]),
    StringTable(localization: "en", name: "Other", entries: ["IN_OTHER": .text("Other")]),
  ]

  private func shown(_ alert: String, to preferred: String) throws -> ShownAlert {
    let payload = try #require(Payload(json: Array(#"{"aps": {"alert": \#(alert)}}"#.utf8)))
    let catalog = Catalog(developmentLanguage: "en", tables: Self.tables)
    return DeviceSimulator(app: CatalogView(catalog, for: tags(preferred))).shown(by: payload)
  }

  @Test(
    arguments: [
      // Literals, verbatim.
      (#""100%% %@""#, "en", "100%% %@"),
      (#"{"body": "100%% %@"}"#, "en", "100%% %@"),
      (#"{"body": "50%", "loc-args": ["x"]}"#, "en", "50%"),
      (#"{"body": "Hi", "loc-key": ""}"#, "en", "Hi"),
      (#"{"body": "Hi", "loc-key": 7}"#, "en", "Hi"),
      (#"{"body": ""}"#, "en", nil), (#""""#, "en", nil), ("{}", "en", nil),
      // A key that is found, in the localization that the bundle picks.
      (#"{"loc-key": "PLAIN"}"#, "en", "Hello"),
      (#"{"loc-key": "PLAIN"}"#, "fr-CA", "Bonjour"),
      (#"{"loc-key": "PLAIN"}"#, "ja", "Hello"),
      (#"{"loc-key": "PLAIN", "body": "Hi"}"#, "fr", "Bonjour"),
      (#"{"loc-key": "EMPTY", "body": "Hi"}"#, "en", nil),
      // A key that is missing there, though another localization or table has it.
      (#"{"loc-key": "ONLY_EN", "body": "Anglais"}"#, "fr", "Anglais"),
      (#"{"loc-key": "ONLY_EN"}"#, "fr", "ONLY_EN"),
      (#"{"loc-key": "ONLY_EN", "body": ""}"#, "fr", "ONLY_EN"),
      (#"{"loc-key": "IN_OTHER"}"#, "en", "IN_OTHER"),
      // Without arguments nothing is formatted.
      (#"{"loc-key": "SHARE"}"#, "en", "100%% of %@"),
      (#"{"loc-key": "SHARE", "loc-args": []}"#, "en", "100%% of %@"),
      (#"{"loc-key": "NONE", "body": "100%% of %@"}"#, "en", "100%% of %@"),
      // With arguments all is: the text, the literal in its place, even the key.
      (#"{"loc-key": "SHARE", "loc-args": ["it"]}"#, "en", "100% of it"),
      (#"{"loc-key": "NONE", "body": "100%% of %@", "loc-args": ["it"]}"#, "en", "100% of it"),
      (#"{"loc-key": "A%%B", "loc-args": ["it"]}"#, "en", "A%B"),
      (#"{"loc-key": "TWO", "loc-args": ["a", "b"]}"#, "en", "b, then a"),
      (#"{"loc-key": "TWO", "loc-args": ["a", "b"]}"#, "fr", "a puis b"),
      // Too few arguments, and too many.
      (#"{"loc-key": "TWO", "loc-args": ["a"]}"#, "en", "<null>, then a"),
      (#"{"loc-key": "ONE", "loc-args": ["a", "b"]}"#, "en", "Order a"),
      // What it cannot format vanishes.
      (#"{"loc-key": "BROKEN", "loc-args": ["1"]}"#, "en", " d d $d ||"),
      // Arguments that are no texts.
      (#"{"loc-key": "TWO", "loc-args": [1234567, 2.5]}"#, "en", "2.5, then 1234567"),
      (#"{"loc-key": "TWO", "loc-args": [true, {"a": 1}]}"#, "en", ", then "),
      (#"{"loc-key": "ONE", "loc-args": "a"}"#, "en", "Order %@"),
      // Entries that vary.
      (#"{"loc-key": "COUNT", "loc-args": ["3"]}"#, "fr", "@count@ de 3"),
      (#"{"loc-key": "COUNT"}"#, "fr", "%#@count@ de %@"),
      (#"{"loc-key": "WHERE"}"#, "fr", "Sur cet iPhone"),
    ] as [(String, String, String?)])
  func aDeviceShowsAText(alert: String, preferred: String, expected: String?) throws {
    #expect(try shown(alert, to: preferred).body == expected)
  }

  @Test func eachTextOfAnAlertIsTreatedAlikeAndForItself() throws {
    let shown = try shown(
      """
      {"title-loc-key": "PLAIN", "subtitle-loc-key": "TWO", "subtitle-loc-args": [1, "b"],
       "subtitle": "Sub", "body": "%@"}
      """, to: "en")
    #expect(shown == ShownAlert(title: "Hello", subtitle: "b, then 1", body: "%@"))
    #expect(AlertPart.allCases.map { shown[$0] } == ["Hello", "b, then 1", "%@"])
  }

  /// Its keys stand inside `title` and `body`. What it shows for a key that is not there is not
  /// known.
  @Test(
    arguments: [
      (
        #"{"title": {"loc-key": "PLAIN"}, "body": {"loc-key": "TWO", "loc-args": ["a", "b"]}}"#,
        ShownAlert(title: "Bonjour", body: "a puis b")
      ),
      (
        #"{"title": "%@", "body": {"loc-key": "COUNT", "loc-args": ["3"]}}"#,
        ShownAlert(title: "%@", body: "@count@ de 3")
      ),
      (#"{"title": {"loc-key": "ONLY_EN"}, "body": {"loc-key": ""}}"#, ShownAlert()),
    ])
  func anActivityLooksUpItsKeys(alert: String, expected: ShownAlert) throws {
    #expect(try shown(alert + #", "event": "update""#, to: "fr") == expected)
    // A notification has no such texts.
    #expect(try shown(alert, to: "fr").body == nil)
  }

  @Test func withoutTheAppsStringsADeviceShowsLiteralsOnly() throws {
    let payload = try #require(
      Payload(json: Array(#"{"aps": {"alert": {"title": "%%", "loc-key": "PLAIN"}}}"#.utf8)))
    #expect(DeviceSimulator(app: nil).shown(by: payload) == ShownAlert(title: "%%"))
    #expect(DeviceSimulator(app: nil).shown(by: Payload()) == ShownAlert())
  }
}
