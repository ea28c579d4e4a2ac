import ASCII
import Localization
import Rendering
import Testing

/// What a message wants of a catalog and does not find.
@Suite struct MessageCheckTests {
  private static let count = PluralVariable(
    specifier: "d", cases: [.one: "%d order", .other: "%d orders"])

  private static let catalog = Catalog(
    developmentLanguage: "en",
    tables: [
      StringTable(
        localization: "en", name: "Localizable",
        entries: [
          "PLAIN": .text("Hello"), "ONE": .text("Hello %@"), "TWO": .text("%2$@ and %1$@"),
          "INTEGER": .text("%d orders"), "FRACTION": .text("%.1f stars"), "OFF": .text("50% off"),
          "OFF_FOR": .text("50% off for %@"), "WIDTH": .text("%*d"), "POINTER": .text("%s"),
          "COUNT": .plural(PluralFormat("%#@n@", variables: ["n": count])),
          "COUNT_OF_SECOND": .plural(PluralFormat("%1$@: %2$#@n@", variables: ["n": count])),
          "DEVICES": .devices([
            .iphone: PluralFormat("Tap"), .mac: PluralFormat("Click %@"),
            .other: PluralFormat("Do"),
          ]),
          "WIDTHS": .widths([1: PluralFormat("%@ %@"), 9: PluralFormat("%@")]),
        ]),
      Scene.table(
        "fr", ["PLAIN": "Bonjour", "ONE": "Bonjour %@ (%@)", "TWO": "%@", "INTEGER": ""]),
      Scene.table("de", ["PLAIN": "Hallo", "ONE": "Hallo", "TWO": "%d, %@"]),
      StringTable(localization: "de", name: "Other", entries: ["ELSEWHERE": .text("Da")]),
    ])

  /// A body of a key with arguments of types, and what is said: code, place below the body,
  /// languages.
  private static let rows: [(key: String, types: [String], warnings: [String])] = [
    ("PLAIN", [], []),
    ("NOWHERE", [], ["unknown_key /key -"]),
    ("ELSEWHERE", [], ["unknown_key /key -"]),
    ("INTEGER", ["integer"], ["missing_in_language /key fr,de"]),
    ("ONE", ["string"], ["argument_count /args fr"]),
    ("ONE", [], ["argument_count /args en,fr"]),
    ("PLAIN", ["date"], ["unused_argument /args/0 -"]),
    // A translation may leave an argument out.
    ("TWO", ["integer", "string"], []),
    ("TWO", ["string", "list"], ["argument_type /args/0 de"]),
    ("INTEGER", ["string"], ["missing_in_language /key fr,de", "argument_type /args/0 en"]),
    ("INTEGER", ["decimal"], ["missing_in_language /key fr,de", "argument_type /args/0 en"]),
    ("INTEGER", ["duration"], ["missing_in_language /key fr,de", "argument_type /args/0 en"]),
    ("FRACTION", ["integer"], ["missing_in_language /key fr,de"]),
    ("FRACTION", ["percent"], ["missing_in_language /key fr,de"]),
    ("FRACTION", ["date"], ["missing_in_language /key fr,de", "argument_type /args/0 en"]),
    ("COUNT", ["integer"], ["missing_in_language /key fr,de"]),
    ("COUNT", ["string"], ["missing_in_language /key fr,de", "argument_type /args/0 en"]),
    ("COUNT", [], ["missing_in_language /key fr,de", "argument_count /args en"]),
    ("COUNT_OF_SECOND", ["string", "integer"], ["missing_in_language /key fr,de"]),
    (
      "COUNT_OF_SECOND", ["string", "string"],
      ["missing_in_language /key fr,de", "argument_type /args/1 en"]
    ),
    // As the formatter treats it: a percent sign before a word.
    ("OFF", [], ["missing_in_language /key fr,de"]),
    ("OFF_FOR", ["string"], ["missing_in_language /key fr,de"]),
    ("OFF", ["integer"], ["missing_in_language /key fr,de"]),
    ("OFF_FOR", ["integer"], ["missing_in_language /key fr,de", "argument_count /args en"]),
    (
      "WIDTH", ["string", "integer"],
      ["missing_in_language /key fr,de", "argument_type /args/0 en"]
    ),
    ("POINTER", ["string"], ["missing_in_language /key fr,de"]),
    // What any device is shown counts, of widths the largest.
    ("DEVICES", ["string"], ["missing_in_language /key fr,de"]),
    ("DEVICES", [], ["missing_in_language /key fr,de", "argument_count /args en"]),
    ("WIDTHS", ["string"], ["missing_in_language /key fr,de"]),
  ]

  private static func message(_ key: String, _ types: [String], more: String = "") -> String {
    let names = types.indices.map { "p\($0)" }
    let parameters = zip(names, types).map { "\"\($0)\": {\"type\": \"\($1)\"}" }
    let arguments = names.map { "\"\($0)\"" }.joined(separator: ", ")
    return """
      {"alert": {"body": {"key": "\(key)", "args": [\(arguments)]\(more)}},
        "parameters": {\(parameters.joined(separator: ", "))}}
      """
  }

  @Test(arguments: rows)
  func warnings(key: String, types: [String], expected: [String]) throws {
    let check = MessageCheck(try Message(parsing: Self.message(key, types)))
    let warnings = check.warnings(.app, in: Self.catalog, version: "412")
    let summaries = warnings.map { warning in
      let languages = warning.languages.isEmpty ? "-" : warning.languages.joined(separator: ",")
      let place = warning.pointer.replacing("/alert/body", with: "")
      return "\(warning.code.rawValue) \(place) \(languages)"
    }
    #expect(summaries == expected)
    #expect(warnings.allSatisfy { $0.catalog == "412" && $0.pointer.hasPrefix("/alert/body/") })
    #expect(check.warnings(.server, in: nil, version: nil) == [], "no key of the server's")
  }

  /// Messages with the parameters `name` and `n`, and what is said of them alone.
  @Test(
    arguments: [
      (#""alert": "Hi {name} {n}""#, []),
      (#""alert": "Hi {{name}} {name} {n}""#, ["double_braces /alert -"]),
      (
        #""alert": {"title": "{{ name }}", "body": {"text": {"en": "{n}", "fr": "{{n}}"}}}"#,
        [
          "double_braces /alert/title -", "double_braces /alert/body fr",
          "unused_parameter /parameters/name -",
        ]
      ),
      (
        #""alert": {"body": {"text": {"fr": "{{n}}", "en": "{{n}}", "de": "{n}{name}"}}}"#,
        ["double_braces /alert/body en,fr"]
      ),
      (#""alert": "{{{name}}} {n}""#, ["double_braces /alert -"]),
      // Braces around anything else are meant.
      (#""alert": "{{x}} {{}} {{ {name} {n}""#, []),
      (
        #""alert": {"key": "K", "args": ["n"]}, "data": {"a": {"b/c": ["", "x {{name}}"]}}"#,
        ["double_braces /data/a/b~1c/1 -", "unused_parameter /parameters/name -"]
      ),
      (#""alert": {"key": "K", "args": ["n"]}, "collapse_id": "{name}""#, []),
      (#""badge": "{n}", "sound": {"name": "{name}", "critical": true}"#, []),
      (#""badge": "{n}", "id": "{name}""#, []),
      (#""badge": "{n}", "data": {"a": ["{name}"]}"#, []),
      (
        #""badge": 1, "sound": "{{n}}""#,
        [
          "double_braces /sound -", "unused_parameter /parameters/n -",
          "unused_parameter /parameters/name -",
        ]
      ),
    ] as [(String, [String])])
  func whatIsRarelyMeantIsSaid(members: String, expected: [String]) throws {
    let message = try Message(
      parsing:
        #"{\#(members), "parameters": {"name": {"type": "string"}, "n": {"type": "integer"}}}"#)
    let summaries = MessageCheck(message).warnings.map { warning in
      let languages = warning.languages.isEmpty ? "-" : warning.languages.joined(separator: ",")
      return "\(warning.code.rawValue) \(warning.pointer) \(languages)"
    }
    #expect(summaries == expected)
  }

  @Test func whatPicksATextOrSaysWhenIsUsed() throws {
    let message = try Message(
      parsing: """
        {"alert": {"key": {"a": "A", "other": "B"}}, "trigger": {"type": "calendar", "at": "t"},
         "parameters": {"w": {"type": "choice", "of": ["a"]}, "t": {"type": "date"}}}
        """)
    #expect(MessageCheck(message).warnings == [])
  }

  @Test func theServersKeysAreLookedForInItsCatalog() throws {
    let json = Self.message("PLAIN", [], more: ", \"catalog\": \"server\"")
    let check = MessageCheck(try Message(parsing: json))
    #expect(check.asks(.server) && !check.asks(.app))
    #expect(check.warnings(.app, in: nil, version: nil) == [])
    #expect(check.warnings(.server, in: Self.catalog, version: "server") == [])
    let missing = check.warnings(.server, in: nil, version: nil)
    #expect(missing.map(\.code) == [.unknownKey])
    #expect(missing.first?.catalog == nil)
  }

  @Test func everyTextIsComparedInItsOwnTable() throws {
    let message = try Message(
      parsing: """
        {"alert": {"title": {"key": "ELSEWHERE", "table": "Other"}, "subtitle": {"text": "Hi"},
          "body": {"key": "ELSEWHERE"}}}
        """)
    let warnings = MessageCheck(message).warnings(.app, in: Self.catalog, version: "1")
    #expect(warnings.map(\.pointer) == ["/alert/title/key", "/alert/body/key"])
    #expect(warnings.map(\.code) == [.missingInLanguage, .unknownKey])
  }

  @Test func theStringFormHasItsKeyInTheAlertItself() throws {
    let message = try Message(parsing: #"{"alert": {"key": "NOWHERE"}}"#)
    let warnings = MessageCheck(message).warnings(.app, in: Self.catalog, version: "1")
    #expect(warnings.map(\.pointer) == ["/alert/key"])
  }

  @Test func aLongListOfLanguagesIsCut() throws {
    let tables = (0..<40).map { number in
      Scene.table("x-\(number)", number == 0 ? ["ONE": "%@"] : ["TWO": "%@"])
    }
    let catalog = Catalog(developmentLanguage: "x-0", tables: tables)
    let message = try Message(parsing: Self.message("ONE", ["string"]))
    let warnings = MessageCheck(message).warnings(.app, in: catalog, version: "1")
    #expect(warnings.map(\.languages.count) == [MessageLimits.warnedLanguages])
    #expect(warnings.first?.detail == "39 of 40 localizations lack ONE.")
  }
}
