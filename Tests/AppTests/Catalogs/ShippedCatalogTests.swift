import AppTesting
import Testing

/// Files as apps ship them that cost a team its upload before, from the upload to the text shown.
@Suite struct ShippedCatalogTests {
  /// A text that refers to a variable that is not there, as one whose name was translated.
  private static let files = [
    (path: "en.lproj/Localizable.strings", text: "\"FINE\" = \"Fine\"; \"EGGS\" = \"Eggs\";"),
    (path: "pl.lproj/Localizable.strings", text: "\"FINE\" = \"Dobrze\";"),
    (
      path: "pl.lproj/Localizable.stringsdict",
      text: """
      <plist version="1.0"><dict>
      <key>EGGS</key><dict>
      <key>NSStringLocalizedFormatKey</key><string>%#@jajka@</string>
      <key>eggs</key><dict>
      <key>NSStringFormatSpecTypeKey</key><string>NSStringPluralRuleType</string>
      <key>NSStringFormatValueTypeKey</key><string>d</string>
      <key>other</key><string>%d jaj</string></dict></dict></dict></plist>
      """
    ),
  ]

  @Test(arguments: Transport.allCases)
  func anEntryThatCannotBeReadIsLeftOut(transport: Transport) async throws {
    let app = try await TestApp.make(transport)
    let path = "\(app.path)/catalogs/412"
    let strict = try await app.admin.upload(path + "?strict=true", Self.files)
    #expect(strict.status == 422)
    #expect(strict.faults == ["pl.lproj/Localizable.stringsdict:2:1 undefined_variable"])
    #expect(try await app.admin.get(path).status == 404)
    let odd = try await app.admin.upload(path + "?strict=1", Self.files)
    #expect(odd.faults == ["strict unknown_value"])

    let uploaded = try await app.admin.upload(path, Self.files)
    #expect(uploaded.status == 201)
    #expect(uploaded.json["entries_left_out"] == 1)
    #expect(try await app.admin.get(path).json == uploaded.json)
    let errors = uploaded.json["diagnostics"].elements.filter { $0["severity"] == "error" }
    #expect(
      errors.map { [$0["file"], $0["line"], $0["column"], $0["code"]] } == [
        ["pl.lproj/Localizable.stringsdict", 2, 1, "undefined_variable"]
      ])
    #expect(try await app.admin.upload(path + "?strict=false", Self.files).status == 200)
    #expect(
      try await shown(["FINE": [], "EGGS": []], "pl", app) == ["EGGS": "Eggs", "FINE": "Dobrze"])

    // A file that cannot be read at all refuses the rest.
    let broken = Self.files + [(path: "de.lproj/Localizable.strings", text: "\"FINE\" = ")]
    let refused = try await app.admin.upload(path, broken)
    #expect(refused.status == 422)
    #expect(refused.faults.count == 2)
    #expect(try await app.admin.get(path).json["entries_left_out"] == 1)
  }

  /// A kind of file that a public report told of.
  struct Case: CustomTestStringConvertible {
    let testDescription: String
    let files: [(path: String, bytes: [UInt8])]
    let language: String
    /// The arguments of the key `K`.
    var arguments: [JSON] = []
    let text: String
    var codes: [String] = []
  }

  private static func exchange(
    _ units: String, original: String = "Localizable.xcstrings"
  ) -> String {
    """
    <file original="\(original)" source-language="en" target-language="fr" datatype="plaintext">
    <body>\(units)</body></file>
    """
  }

  private static func unit(_ id: String, _ source: String, _ target: String) -> String {
    "<trans-unit id=\"\(id)\"><source>\(source)</source>\(target)</trans-unit>"
  }

  private static func xliff(_ files: String...) -> [(path: String, bytes: [UInt8])] {
    let text = "<xliff version=\"1.2\">\(files.joined())</xliff>"
    return [("fr.xliff", Array(text.utf8))]
  }

  private static func wide(_ text: String, marks: Int) -> [UInt8] {
    let mark: [UInt8] = [0xFF, 0xFE]
    return (0..<marks).flatMap { _ in mark }
      + text.utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
  }

  private static let badge = exchange(
    unit("K", "Done", "<target>Extension</target>"), original: "Badge/Localizable.strings")
  private static let food = exchange(
    unit("K", "Done", "<target>App</target>"), original: "Food/Localizable.strings")

  static let cases = [
    Case(
      testDescription: "an export names only the substitutions that the translation has",
      files: xliff(
        exchange(
          unit("K", "%#@km@, %2$#@stops@", "<target>%1$.0f km, %2$#@stops@</target>")
            + unit(
              "K|==|substitutions.stops.plural.one", "%2$ld stop", "<target>%2$ld arrêt</target>")
            + unit(
              "K|==|substitutions.stops.plural.other", "%2$ld stops",
              "<target>%2$ld arrêts</target>"))),
      language: "fr", arguments: [7, 2], text: "7 km, 2 arrêts",
      codes: ["missing_plural_category"]),
    Case(
      testDescription: "a text that waits for a review ships",
      files: xliff(
        exchange(unit("K", "Late, %@", "<target state=\"needs-review-l10n\">Tard, %@</target>"))),
      language: "fr", arguments: ["Zoé"], text: "Tard, Zoé"),
    Case(
      testDescription: "Xcode 27 writes no source of what only the translation varies by",
      files: xliff(
        exchange(
          unit("K", "%lld boats", "<target>Total %1$#@n@</target>")
            + "<trans-unit id=\"K|==|substitutions.n.plural.one\">"
            + "<target>%1$lld bateau</target></trans-unit>"
            + unit(
              "K|==|substitutions.n.plural.other", "K|==|substitutions.n.plural.other",
              "<target>%1$lld bateaux</target>"))),
      language: "fr", arguments: [2], text: "Total 2 bateaux",
      codes: ["missing_plural_category"]),
    Case(
      testDescription: "a state that Xcode does not import",
      files: xliff(
        exchange(unit("K", "Late", "<target state=\"needs-review-translation\">Tard</target>"))),
      language: "fr", text: "Late"),
    Case(
      testDescription: "a width within a device",
      files: [
        (
          "en.lproj/Localizable.stringsdict",
          Array(
            """
            <plist><dict><key>K</key><dict><key>NSStringDeviceSpecificRuleType</key><dict>
            <key>iphone</key><dict><key>NSStringVariableWidthRuleType</key><dict>
            <key>5</key><string>Tap</string><key>40</key><string>Tap the lamp</string></dict></dict>
            <key>mac</key><string>Click the lamp</string></dict></dict></dict></plist>
            """.utf8)
        )
      ],
      language: "en", text: "Tap the lamp"),
    Case(
      testDescription: "a Mac's text beside one for all",
      files: [
        ("en.lproj/Localizable.strings", Array("\"K\" = \"Press\";".utf8)),
        (
          "en.lproj/Localizable.stringsdict",
          Array(
            """
            <plist><dict><key>K</key><dict><key>NSStringDeviceSpecificRuleType</key><dict>
            <key>mac</key><string>Click</string></dict></dict></dict></plist>
            """.utf8)
        ),
      ],
      language: "en", text: "Press"),
    Case(
      testDescription: "Base before the development language",
      files: [
        ("Base.lproj/Localizable.strings", Array("\"K\" = \"Base\";".utf8)),
        ("en.lproj/Localizable.strings", Array("\"K\" = \"English\";".utf8)),
        ("fr.lproj/InfoPlist.strings", Array("\"CFBundleName\" = \"x\";".utf8)),
      ],
      language: "fr", text: "Base"),
    Case(
      testDescription: "a bundle of settings with more texts than the app",
      files: [
        ("Food/en.lproj/Localizable.strings", Array("\"K\" = \"app\";".utf8)),
        (
          "Food/Settings.bundle/en.lproj/Localizable.strings",
          Array("\"K\" = \"settings\"; \"A\" = \"a\"; \"B\" = \"b\";".utf8)
        ),
      ],
      language: "en", text: "app", codes: ["duplicate_file"]),
    Case(
      testDescription: "two byte order marks",
      files: [
        ("en.lproj/Localizable.strings", Array("\"K\" = \"Got: %@\";".utf8)),
        ("fr.lproj/Localizable.strings", wide("\"K\" = \"Reçu : %@\";", marks: 2)),
      ],
      language: "fr", arguments: ["Zoé"], text: "Reçu : Zoé", codes: ["second_byte_order_mark"]),
    Case(
      testDescription: "UTF-16 without a mark",
      files: [
        ("en.lproj/Localizable.strings", Array("\"K\" = \"Got it\";".utf8)),
        ("fr.lproj/Localizable.strings", wide("\"K\" = \"Reçu\";", marks: 0)),
      ],
      language: "fr", text: "Reçu", codes: ["missing_byte_order_mark"]),
    Case(
      testDescription: "an extension's file before the app's", files: xliff(badge, food),
      language: "fr", text: "App", codes: ["duplicate_file"]),
    Case(
      testDescription: "an extension's file behind the app's", files: xliff(food, badge),
      language: "fr", text: "App", codes: ["duplicate_file"]),
  ]

  /// Two versions of a file that nobody put together: all behind the mark is gone.
  @Test func aConflictOfTwoVersionsIsALossThatIsCounted() async throws {
    let app = try await TestApp.make(.inProcess)
    let path = "\(app.path)/catalogs/412"
    let text =
      "\"K\" = \"Fine\";\n<<<<<<< HEAD\n\"A\" = \"a\";\n=======\n\"A\" = \"b\";\n>>>>>>> main\n"
    let files = [(path: "en.lproj/Localizable.strings", text: text)]
    let strict = try await app.admin.upload(path + "?strict=true", files)
    #expect(strict.status == 422)
    #expect(strict.faults == ["en.lproj/Localizable.strings:2:1 text_after_end"])
    let uploaded = try await app.admin.upload(path, files)
    #expect(uploaded.status == 201)
    #expect(uploaded.json["entries_left_out"] == 2)
    #expect(try await shown(["K": []], "en", app) == ["K": "Fine"])
  }

  @Test(arguments: cases)
  func whatWasReportedElsewhereIsRightHere(_ row: Case) async throws {
    let app = try await TestApp.make(.inProcess)
    let uploaded = try await app.admin.upload("\(app.path)/catalogs/412", bytes: row.files)
    #expect(uploaded.status == 201, "\(uploaded.text)")
    #expect(uploaded.json["entries_left_out"] == 0)
    #expect(uploaded.json["diagnostics"].elements.map { $0["code"].string } == row.codes)
    #expect(try await shown(["K": row.arguments], row.language, app) == ["K": row.text])
  }

  /// The texts of keys with arguments, for somebody who has the build 412 and reads a language.
  private func shown(
    _ keys: [String: [JSON]], _ language: String, _ app: TestApp
  ) async throws -> [String: String] {
    let id = Sample.id()
    var report = Sample.report()
    report["languages"] = [.string(language)]
    report["app_build"] = "412"
    report["os_version"] = "17.4"
    report["capabilities"] = ["loc-key"]
    _ = try await app.client.put(app.installation(id), report)
    var texts: [String: String] = [:]
    for (key, arguments) in keys {
      let names = arguments.indices.map { "p\($0)" }
      let types = arguments.map { $0.string == nil ? "integer" : "string" }
      let pairs = zip(names, arguments).map { ($0, $1) }
      let reply = try await app.sender.post(
        "\(app.path)/render",
        [
          "message": [
            "alert": ["body": ["key": .string(key), "args": .array(names.map(JSON.string))]],
            "parameters": .object(
              Dictionary(uniqueKeysWithValues: zip(names, types.map { ["type": .string($0)] }))),
          ],
          "arguments": .object(Dictionary(uniqueKeysWithValues: pairs)),
          "to": ["installation": .string(id)],
        ])
      #expect(reply.status == 200, "\(reply.text)")
      texts[key] = reply.json["payload"]["aps"]["alert"]["body"].string
    }
    return texts
  }
}
