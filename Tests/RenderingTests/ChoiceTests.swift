import ASCII
import JSON
import Localization
import Rendering
import Testing

/// Texts and keys that a parameter of type `choice` picks.
@Suite struct ChoiceTests {
  private static let gender = #""gender": {"type": "choice", "of": ["female", "male", "other"]}"#
  private static let size = #""size": {"type": "choice", "of": ["s", "l"], "default": "l"}"#
  private static let name = #""name": {"type": "string", "default": "Ana"}"#

  /// An alert, the value of `gender`, and the alert of the payload for a device in French.
  @Test(arguments: [
    (#"{"key": {"female": "TITLE", "other": "PLAIN"}}"#, "female", #""Boutique""#),
    (#"{"key": {"female": "TITLE", "other": "PLAIN"}}"#, "male", #""Bonjour""#),
    (#"{"key": {"female": "TITLE", "other": "PLAIN"}}"#, "other", #""Bonjour""#),
    // All words are there: `other` need not be.
    (
      #"{"body": {"key": {"female": "TITLE", "male": "PLAIN", "other": "ONLY_EN"}}}"#, "male",
      #"{"body":"Bonjour"}"#
    ),
    (
      #"{"key": {"female": "NUMBER", "other": "PERCENT"}, "args": ["name"]}"#, "female",
      #""N° Ana""#
    ),
    (#"{"text": {"female": "Chère {name}", "other": "Cher {name}"}}"#, "female", #""Chère Ana""#),
    (#"{"text": {"female": "Chère {name}", "other": "Cher {name}"}}"#, "other", #""Cher Ana""#),
    (
      #"{"text": {"female": {"fr": "Chère", "en": "Dear"}, "other": {"fr": "Cher", "en": "D."}}}"#,
      "male", #""Cher""#
    ),
    // A wording for everybody beside one for each language.
    (#"{"text": {"female": {"fr": "Chère"}, "other": "Hi"}}"#, "male", #""Hi""#),
    (
      #"{"title": {"key": {"male": "TITLE", "other": "PLAIN"}}, "body": {"text": "x {gender}"}}"#,
      "female", #"{"body":"x female","title":"Bonjour"}"#
    ),
  ])
  func aWordPicksTheText(alert: String, word: String, expected: String) throws {
    var scene = Scene(
      #"{"alert": \#(alert), "parameters": {\#(Self.gender), \#(Self.name)}}"#)
    scene.arguments = #"{"gender": "\#(word)"}"#
    scene.options.localization = .server
    #expect(try scene.render().payloadText == #"{"aps":{"alert":\#(expected)}}"#)
  }

  /// The device looks up the key that was picked.
  @Test(arguments: [("female", "TITLE", "Boutique"), ("male", "PLAIN", "Bonjour")])
  func theKeyThatIsPickedIsTheDevices(word: String, key: String, text: String) throws {
    var scene = Scene(
      """
      {"alert": {"key": {"female": "TITLE", "other": "PLAIN"}}, "parameters": {\(Self.gender)}}
      """)
    scene.arguments = #"{"gender": "\#(word)"}"#
    let content = try scene.render()
    #expect(content.mode == .client)
    #expect(content.payloadText == #"{"aps":{"alert":{"body":"\#(text)","loc-key":"\#(key)"}}}"#)
    // A key that the app does not have is the server's to find, in this branch alone.
    scene.tables = Scene.shopTables.map { table in
      StringTable(
        localization: table.localization, name: table.name,
        entries: table.entries.filter { $0.key != "TITLE" })
    }
    #expect(try scene.render().mode == (key == "TITLE" ? .server : .client))
  }

  @Test func eachTextNamesTheParameterWhenThereAreSeveral() throws {
    var scene = Scene(
      """
      {"alert": {
        "title": {"key": {"female": "TITLE", "other": "PLAIN"}, "choose": "gender"},
        "body": {"text": {"s": "small", "l": "large"}, "choose": "size"}},
       "parameters": {\(Self.gender), \(Self.size)}}
      """)
    scene.arguments = #"{"gender": "male"}"#
    scene.options.localization = .server
    #expect(
      try scene.render().payloadText
        == #"{"aps":{"alert":{"body":"large","title":"Bonjour"}}}"#)
  }

  @Test(
    arguments: [
      (#""gender": {"type": "choice"}"#, "{}", ["/parameters/gender/of missing_field"]),
      (#""gender": {"type": "choice", "of": []}"#, "{}", ["/parameters/gender/of too_short"]),
      (
        #""gender": {"type": "choice", "of": ["a", ""]}"#, "{}",
        ["/parameters/gender/of/1 too_short"]
      ),
      (
        #""gender": {"type": "choice", "of": ["a"], "default": "b"}"#, "{}",
        ["/parameters/gender/default unknown_value"]
      ),
      (
        #""gender": {"type": "string", "of": ["a"]}"#, "{}", ["/parameters/gender/of unknown_field"]
      ),
      (
        gender, #"{"alert": {"key": {"female": "A", "male": "B"}}}"#,
        ["/alert/key missing_field"]
      ),
      (gender, #"{"alert": {"key": {"other": "A", "x": "B"}}}"#, ["/alert/key/x unknown_value"]),
      (gender, #"{"alert": {"key": {"other": 1}}}"#, ["/alert/key/other wrong_type"]),
      (gender, #"{"alert": {"key": {"other": ""}}}"#, ["/alert/key/other too_short"]),
      (gender, #"{"alert": {"key": {}}}"#, ["/alert/key missing_field"]),
      (gender, #"{"alert": {"key": 1}}"#, ["/alert/key wrong_type"]),
      (
        gender, #"{"alert": {"text": {"other": {"fr": "{x}"}}}}"#,
        ["/alert/text/other/fr unknown_placeholder"]
      ),
      (gender, #"{"alert": {"text": {"other": {}}}}"#, ["/alert/text/other too_short"]),
      (gender, #"{"alert": {"text": {"other": 1}}}"#, ["/alert/text/other wrong_type"]),
      (
        gender, #"{"alert": {"key": {"other": "A"}, "choose": "who"}}"#,
        ["/alert/choose unknown_parameter"]
      ),
      (
        "\(gender), \(name)", #"{"alert": {"key": {"other": "A"}, "choose": "name"}}"#,
        ["/alert/choose wrong_type"]
      ),
      (gender, #"{"alert": {"key": "A", "choose": "gender"}}"#, ["/alert/key wrong_type"]),
      (gender, #"{"alert": {"key": {"other": "A"}, "choose": 1}}"#, ["/alert/choose wrong_type"]),
      (
        gender, #"{"alert": {"text": "A", "choose": "gender"}}"#, ["/alert/text wrong_type"]
      ),
      (name, #"{"alert": {"key": {"other": "A"}}}"#, ["/alert/choose missing_field"]),
      (
        "\(gender), \(size)", #"{"alert": {"key": {"other": "A"}}}"#,
        ["/alert/choose missing_field"]
      ),
    ] as [(String, String, [String])])
  func aChoiceThatMakesNoSenseIsRefused(parameters: String, members: String, expected: [String])
    throws
  {
    let rest = members == "{}" ? "}" : ", " + members.dropFirst()
    let failure = #expect(throws: InputFailure.self) {
      try Message(parsing: #"{"parameters": {\#(parameters)}\#(rest)"#)
    }
    #expect(failure?.problems.map { "\($0.pointer) \($0.code)" } == expected)
  }

  @Test(arguments: [
    (#""neither""#, "/gender unknown_value"), ("1", "/gender wrong_type"),
    (#"{"loc-key": "K"}"#, "/gender wrong_type"),
  ])
  func anArgumentThatIsNoneOfTheWordsIsRefused(value: String, fault: String) throws {
    let message = try Message(parsing: #"{"parameters": {\#(Self.gender)}}"#)
    let failure = #expect(throws: InputFailure.self) {
      try Arguments(parsing: #"{"gender": \#(value)}"#, for: message)
    }
    #expect(failure?.problems.map { "\($0.pointer) \($0.code)" } == [fault])
  }

  /// A language that is no word: without `other` and `choose` the names are languages.
  @Test func languagesStayLanguages() throws {
    var scene = Scene(
      """
      {"alert": {"text": {"fr": "Salut", "en": "Hi"}, "choose": null},
       "parameters": {\(Self.gender)}}
      """)
    scene.arguments = #"{"gender": "male"}"#
    #expect(try scene.render().payloadText == #"{"aps":{"alert":"Salut"}}"#)
  }

  @Test func warningsNameTheBranch() throws {
    let message = try Message(
      parsing: """
        {"alert": {"title": {"key": {"female": "NOWHERE", "other": "PLAIN"}},
          "body": {"key": {"female": "NUMBER", "male": "PLAIN", "other": "COUNT"},
            "args": ["name"]}},
         "parameters": {\(Self.gender), \(Self.name)}}
        """)
    let catalog = Catalog(
      developmentLanguage: "en",
      tables: [
        Scene.table("en", ["PLAIN": "Hello", "NUMBER": "No. %@", "COUNT": "%d orders"]),
        Scene.table("fr", ["PLAIN": "Bonjour", "COUNT": "%d commandes"]),
      ])
    let warnings = MessageCheck(message).warnings(.app, in: catalog, version: "1")
    #expect(
      warnings.map { "\($0.pointer) \($0.code.rawValue)" } == [
        "/alert/title/key/female unknown_key", "/alert/body/key/female missing_in_language",
        "/alert/body/args/0 unused_argument", "/alert/body/args/0 argument_type",
      ])
  }
}
