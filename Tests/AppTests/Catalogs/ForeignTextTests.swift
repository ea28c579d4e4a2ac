import AppTesting
import Testing

/// Texts that apps have shipped and that no author meant so, from the upload to the notification.
@Suite struct ForeignTextTests {
  private static func plural(_ cases: [(String, String)]) -> String {
    let texts = cases.map { "<key>\($0)</key><string>\($1)</string>" }.joined()
    return """
      <?xml version="1.0" encoding="UTF-8"?>
      <plist version="1.0"><dict><key>DISHES</key><dict>
      <key>NSStringLocalizedFormatKey</key><string>%#@n@</string><key>n</key><dict>
      <key>NSStringFormatSpecTypeKey</key><string>NSStringPluralRuleType</string>
      <key>NSStringFormatValueTypeKey</key><string>d</string>\(texts)</dict></dict></dict></plist>
      """
  }

  private static let english = """
    "ENDS" = "Your table is kept until %@";
    "EMPTY" = "Dinner is ready";
    "GUESTS" = "^[%lld guest](inflect: true)";
    """

  private static let dutch = """
    "ENDS" = "Uw tafel is vrij tot % @";
    "EMPTY" = "";
    "GUESTS" = "^[%lld gast](inflect: true)";
    """

  private static let menu = """
    {"sourceLanguage": "en", "version": "1.0", "strings": {"%@ ordered %lld cakes": {
      "localizations": {
        "en": {"variations": {"plural": {
          "one": {"stringUnit": {"state": "translated", "value": "%@ ordered a cake"}},
          "other": {"stringUnit": {"state": "translated", "value": "%@ ordered cakes"}}}}},
        "nl": {"variations": {"plural": {
          "one": {"stringUnit": {"state": "translated", "value": "Taart voor %@"}},
          "other": {"stringUnit": {"state": "translated", "value": "Taarten voor %@"}}}}}}}}}
    """

  private static let files = [
    (path: "en.lproj/Localizable.strings", text: english),
    (path: "nl.lproj/Localizable.strings", text: dutch),
    (
      path: "en.lproj/Localizable.stringsdict",
      text: plural([("one", "%d dish"), ("other", "%d dishes")])
    ),
    (path: "nl.lproj/Localizable.stringsdict", text: plural([("one", "%d gerecht")])),
    (path: "Menu.xcstrings", text: menu),
  ]

  private struct Row {
    var text: JSON
    var shown: String
    var reason: String
    var codes: [String] = []
  }

  private static let rows = [
    Row(
      text: ["key": "ENDS", "args": ["s"]], shown: "Uw tafel is vrij tot 9 pm",
      reason: "unsupported_specifier"),
    Row(
      text: ["key": "EMPTY"], shown: "Dinner is ready", reason: "key_not_in_build",
      codes: ["empty_text", "development_language_used"]),
    Row(text: ["key": "GUESTS", "args": ["n"]], shown: "5 gast", reason: "inline_markup"),
    Row(text: ["key": "DISHES", "args": ["one"]], shown: "1 gerecht", reason: "plural_entry"),
    Row(
      text: ["key": "DISHES", "args": ["n"]], shown: "5 dishes", reason: "plural_entry",
      codes: ["missing_plural_case", "development_language_used"]),
    Row(
      text: ["key": "%@ ordered %lld cakes", "args": ["s", "one"], "table": "Menu"],
      shown: "Taart voor 9 pm", reason: "table_not_localizable"),
    Row(
      text: ["key": "%@ ordered %lld cakes", "args": ["s", "n"], "table": "Menu"],
      shown: "Taarten voor 9 pm", reason: "table_not_localizable"),
  ]

  @Test(arguments: Transport.allCases)
  func aTextIsShownAsItIsMeantAndNoKeyIsSentForIt(transport: Transport) async throws {
    let app = try await TestApp.make(transport)
    let uploaded = try await app.admin.upload("\(app.path)/catalogs/412", Self.files)
    #expect(uploaded.status == 201)
    let diagnostics = uploaded.json["diagnostics"].elements
    for code in ["spaced_placeholder", "inline_markup"] {
      #expect(diagnostics.contains { $0["code"].string == code && $0["severity"] == "warning" })
    }
    #expect(!diagnostics.contains { $0["message"].string?.contains("%%") == true })
    let id = Sample.id()
    var report = Sample.report()
    report["languages"] = ["nl"]
    report["app_build"] = "412"
    report["os_version"] = "17.4"
    report["capabilities"] = ["loc-key"]
    _ = try await app.client.put(app.installation(id), report)
    for row in Self.rows {
      let reply = try await app.sender.post(
        "\(app.path)/render",
        [
          "message": [
            "alert": ["body": row.text],
            "parameters": [
              "s": ["type": "string", "default": "9 pm"], "n": ["type": "integer", "default": 5],
              "one": ["type": "integer", "default": 1],
            ],
          ],
          "explain": true, "to": ["installation": .string(id)],
        ])
      #expect(reply.status == 200, "\(reply.text)")
      #expect(reply.json["payload"] == ["aps": ["alert": ["body": .string(row.shown)]]])
      #expect(reply.json["explain"]["mode"].string == row.reason)
      #expect(reply.json["problems"].elements.compactMap { $0["code"].string } == row.codes)
    }
  }
}
