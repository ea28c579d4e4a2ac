import ASCII
import JSON
import Localization
import Rendering
import Testing

@Suite struct TranslatedTextTests {
  static let tables = [
    Scene.table(
      "en",
      [
        "OUTER": "Your %@ is here", "PIZZA": "pizza with %@", "HAM": "ham", "ONLY_EN": "soup",
        "SELF": "(%@)", "COUNTED": "%d eggs",
      ]),
    Scene.table(
      "fr",
      ["OUTER": "Voici : %@", "PIZZA": "pizza au %@", "HAM": "jambon", "SELF": "(%@)"]),
    StringTable(
      localization: "fr", name: "Other",
      entries: ["OUTER": .text("Autre : %@"), "HAM": .text("jambon cru")]),
  ]

  private func scene(_ value: String, body: String = #"{"key": "OUTER", "args": ["w"]}"#) -> Scene {
    var scene = Scene(
      #"{"alert": {"body": \#(body)}, "parameters": {"w": {"type": "string"}}, "thread_id": "{w}"}"#
    )
    scene.arguments = #"{"w": \#(value)}"#
    scene.tables = Self.tables
    return scene
  }

  @Test(
    arguments: [
      (#"{"loc-key": "HAM"}"#, "Voici : jambon", []),
      (#"{"loc-key": "PIZZA", "loc-args": ["50% {x}"]}"#, "Voici : pizza au 50% {x}", []),
      (
        #"{"loc-key": "PIZZA", "loc-args": [{"loc-key": "HAM"}]}"#, "Voici : pizza au jambon", []
      ),
      (#"{"loc-key": "PIZZA", "loc-args": [12345]}"#, "Voici : pizza au 12 345", []),
      (
        #"{"loc-key": "ONLY_EN"}"#, "Voici : soup",
        ["key_not_in_localization", "development_language_used"]
      ),
      (#"{"loc-key": "PIZZA"}"#, "Voici : pizza au ", ["missing_argument"]),
      (#"{"loc-key": "NOWHERE"}"#, "Voici : ", ["missing_key"]),
      (
        #"{"loc-key": "PIZZA", "loc-args": [{"loc-key": "NOWHERE"}]}"#, "Voici : pizza au ",
        ["missing_key"]
      ),
      (
        #"{"loc-key": "SELF", "loc-args": [{"loc-key": "SELF", "loc-args": ["a"]}]}"#,
        "Voici : ((a))", []
      ),
    ] as [(String, String, [String])])
  func aKeyIsShownInTheLanguageOfItsText(value: String, expected: String, codes: [String]) throws {
    let request = try scene(value).render()
    let text = request.payloadText.replacing("\u{202F}", with: " ").replacing("\u{A0}", with: " ")
    #expect(text.contains(#""alert":{"body":"\#(expected)"}"#), "\(text)")
    #expect(request.codes == codes)
    #expect(request.mode == .server)
  }

  @Test func aKeysTextComesFromTheTableOfItsText() throws {
    let body = #"{"key": "OUTER", "args": ["w"], "table": "Other"}"#
    let request = try scene(#"{"loc-key": "HAM"}"#, body: body).render()
    #expect(request.payloadText.contains("Autre : jambon cru"))
  }

  @Test func aKeysTextComesFromTheServersCatalogWhenTheBuildLacksIt() throws {
    var scene = scene(#"{"loc-key": "CAKE"}"#)
    scene.serverTables = [Scene.table("fr", ["CAKE": "gâteau"])]
    let request = try scene.render()
    #expect(request.payloadText.contains("Voici : gâteau"))
    #expect(request.codes == ["other_catalog_used"])
  }

  @Test func aKeysTextStandsInALiteralTextToo() throws {
    let request = try scene(#"{"loc-key": "HAM"}"#, body: #""Avec {w}""#).render()
    #expect(request.payloadText.contains("Avec jambon"))
  }

  @Test func aKeyIsItselfInIdentifiers() throws {
    let request = try scene(#"{"loc-key": "HAM"}"#).render()
    #expect(request.payloadText.contains(#""thread-id":"HAM""#))
  }

  @Test func aKeyKeepsADeviceFromLocalizingAndTheExplanationNamesIt() throws {
    var scene = scene(#"{"loc-key": "HAM"}"#)
    scene.options = RenderOptions(localization: .client, explain: true)
    let request = try scene.render()
    #expect(request.mode == .server)
    #expect(request.explanation?.mode == .argumentNotText)
    #expect(request.explanation?.tests.last?.saw == "body: OUTER, `w` is the key HAM")
    #expect(request.codes == ["argument_not_text"])
  }

  @Test func aKeyMayBeAParametersDefault() throws {
    var scene = Scene(
      """
      {"alert": "{w}", "parameters": {"w": {"type": "string", "default": {"loc-key": "HAM"}}}}
      """)
    scene.tables = Self.tables
    #expect(try scene.render().payloadText == #"{"aps":{"alert":"jambon"}}"#)
  }

  /// A key within keys, so many levels deep.
  private static func nested(_ depth: Int) -> String {
    depth == 0 ? #""x""# : #"{"loc-key": "SELF", "loc-args": [\#(nested(depth - 1))]}"#
  }

  /// A key with so many keys for its placeholders.
  private static func wide(_ count: Int, _ element: String = #"{"loc-key": "HAM"}"#) -> String {
    let elements = Array(repeating: element, count: count).joined(separator: ",")
    return #"{"loc-key": "SELF", "loc-args": [\#(elements)]}"#
  }

  @Test(.timeLimit(.minutes(10)))
  func textsThatRepeatAKeyWithoutEndComeToAnEnd() throws {
    var scene = scene(Self.nested(4))
    let text = String(repeating: "%1$@", count: 1000)
    scene.tables = [Scene.table("fr", ["SELF": text, "OUTER": text])]
    let request = try scene.render()
    #expect(request.codes.contains("expansion_limit"))
    #expect(request.codes.contains("text_truncated"))
    #expect(request.payload.count < 500_000)
  }

  @Test func atMost128ProblemsAreTold() throws {
    var scene = scene(Self.wide(3, Self.wide(16, #"{"loc-key": "NOWHERE"}"#)))
    scene.message = """
      {"alert": {"title": "{w}", "subtitle": "{w}", "body": "{w}"},
       "parameters": {"w": {"type": "string"}}}
      """
    #expect(try scene.render().codes.count { $0 == "missing_key" } == 128)
  }

  @Test func keysMayStandFourDeepAnd64InAll() throws {
    #expect(try scene(Self.nested(4)).render().payloadText.contains("Voici : ((((x))))"))
    #expect(try scene(Self.wide(3, Self.wide(16))).render().codes == [])
  }

  @Test(
    arguments: [
      ("{}", ["/w/loc-key missing_field"]), (#"{"loc-key": ""}"#, ["/w/loc-key too_short"]),
      (#"{"loc-key": 1, "x": 1}"#, ["/w/loc-key wrong_type", "/w/x unknown_field"]),
      (#"{"loc-key": "K", "loc-args": "a"}"#, ["/w/loc-args wrong_type"]),
      (
        #"{"loc-key": "K", "loc-args": [1.5, null, ["a"], {"loc-key": null}, "\u0000"]}"#,
        [
          "/w/loc-args/0 wrong_type", "/w/loc-args/1 wrong_type", "/w/loc-args/2 wrong_type",
          "/w/loc-args/3/loc-key wrong_type", "/w/loc-args/4 contains_nul",
        ]
      ),
      (wide(17, "1"), ["/w/loc-args too_many"]),
      (nested(5), ["/w/loc-args/0/loc-args/0/loc-args/0/loc-args/0 too_deep"]),
      (
        wide(4, wide(16)),
        (11...15).map { "/w/loc-args/3/loc-args/\($0) too_deep" }
      ),
      ("1", ["/w wrong_type"]),
    ] as [(String, [String])])
  func aKeyIsRefusedWithThePlaceOfEachFault(value: String, expected: [String]) throws {
    let message = try Message(parsing: #"{"parameters": {"w": {"type": "string"}}}"#)
    let failure = #expect(throws: InputFailure.self) {
      try Arguments(parsing: #"{"w": \#(value)}"#, for: message)
    }
    #expect(failure?.problems.map { "\($0.pointer) \($0.code)" } == expected)
  }
}

@Suite struct IsolationTests {
  private func scene(_ alert: String, isolates: String) -> Scene {
    var scene = Scene(
      """
      {"alert": \(alert), "parameters": {"who": {"type": "string"}},
       "isolate_arguments": \(isolates)}
      """)
    scene.arguments = #"{"who": "דנה"}"#
    return scene
  }

  @Test(arguments: [("true", "\u{2068}דנה\u{2069}"), ("false", "דנה"), ("null", "דנה")])
  func argumentsSetApartReadTheSameWhoeverLocalizes(isolates: String, shown: String) throws {
    var scene = scene(#"{"body": {"key": "NUMBER", "args": ["who"]}}"#, isolates: isolates)
    let client = try scene.render()
    #expect(client.mode == .client)
    #expect(client.payloadText.contains(#""loc-args":["\#(shown)"]"#))
    #expect(client.payloadText.contains(#""body":"N° \#(shown)""#))
    scene.options.localization = .server
    #expect(try scene.render().payloadText == #"{"aps":{"alert":{"body":"N° \#(shown)"}}}"#)
  }

  @Test func argumentsInLiteralTextsAreSetApartUnlessBothReadAlike() throws {
    var request = try scene(#""Bonjour {who}""#, isolates: "true").render()
    #expect(request.payloadText.contains("Bonjour \u{2068}דנה\u{2069}"))
    request = try scene(#""שלום {who}""#, isolates: "true").render()
    #expect(request.payloadText.contains("שלום דנה"))
  }
}
