import AppTesting
import Testing

/// Texts that vary, from an upload to the listing and the rendered request.
@Suite struct PluralCatalogTests {
  static let files = [
    (
      path: "en.lproj/Localizable.strings",
      text: "\"MESSAGES\" = \"%d messages\"; \"BYE\" = \"Bye\";"
    ),
    (
      path: "en.lproj/Localizable.stringsdict",
      text: stringsDictionary(one: "message", many: "messages")
    ),
    (
      path: "Tips.xcstrings",
      text: """
      {"sourceLanguage": "en", "version": "1.0", "strings": {"Tap": {"localizations": {"en":
        {"variations": {"device": {
          "mac": {"stringUnit": {"state": "translated", "value": "Click"}},
          "other": {"stringUnit": {"state": "translated", "value": "Tap"}}}}}}}}}
      """
    ),
    (
      path: "de.xliff",
      text: """
      <?xml version="1.0" encoding="UTF-8"?>
      <xliff version="1.2" xmlns="urn:oasis:names:tc:xliff:document:1.2">
      <file original="App/en.lproj/Localizable.strings" source-language="en"
        target-language="de" datatype="plaintext"><body>
      <trans-unit id="BYE"><source>Bye</source><target>Tsch\u{FC}s</target></trans-unit>
      </body></file></xliff>
      """
    ),
  ]

  static func stringsDictionary(one: String, many: String) -> String {
    """
    <?xml version="1.0" encoding="UTF-8"?>
    <plist version="1.0"><dict><key>MESSAGES</key><dict>
    <key>NSStringLocalizedFormatKey</key><string>%1$@ sent %2$#@n@</string>
    <key>n</key><dict>
    <key>NSStringFormatSpecTypeKey</key><string>NSStringPluralRuleType</string>
    <key>NSStringFormatValueTypeKey</key><string>d</string>
    <key>one</key><string>%2$d \(one)</string>
    <key>other</key><string>%2$d \(many)</string>
    </dict></dict></dict></plist>
    """
  }

  @Test(arguments: Transport.allCases)
  func everyFormatIsListed(transport: Transport) async throws {
    let app = try await TestApp.make(transport)
    let created = try await app.admin.upload("\(app.path)/catalogs/server", Self.files)
    #expect(created.status == 201)
    #expect(created.json["languages"] == ["en", "de"])
    #expect(
      created.json["localizations"] == [
        ["language": "en", "keys": 3, "variants": 4, "states": ["translated": 1]],
        ["language": "de", "keys": 1, "variants": 0, "states": ["translated": 1]],
      ])
    let path = "\(app.path)/catalogs/server/strings"
    let plural = try await app.admin.items("\(path)?key=MESSAGES&language=en")
    #expect(
      plural == [
        [
          "table": "Localizable", "language": "en", "key": "MESSAGES",
          "format": "%1$@ sent %2$#@n@",
          "variables": [
            "n": [
              "argument": 2, "specifier": "d",
              "cases": ["one": "%2$d message", "other": "%2$d messages"],
            ]
          ],
        ]
      ])
    let device = try await app.admin.items("\(path)?key=Tap")
    #expect(
      device.map { $0["variations"] } == [
        ["device": ["mac": ["value": "Click"], "other": ["value": "Tap"]]]
      ])
    let lines = try await app.admin.send(
      "GET", path, fields: [("Accept", "text/csv;q=0.5, application/x-ndjson")])
    #expect(lines["content-type"] == "application/x-ndjson")
    let entries = lines.text.split(separator: "\n").map { JSON(parsing: Array($0.utf8)) }
    #expect(entries.map { $0["key"] } == ["BYE", "BYE", "MESSAGES", "Tap"])
    #expect(entries.map { $0["language"] } == ["de", "en", "en", "en"])
    #expect(try await app.admin.items("\(path)?limit=1") == entries)

    let reply = try await app.admin.send("GET", path, fields: [("Accept", "text/csv")])
    let table = CSVTable.parse(reply.body)
    #expect(table.first == ["table", "language", "key", "value", "entry"])
    for (row, entry) in zip(table.dropFirst(), entries) {
      #expect(row[..<4] == ["table", "language", "key", "value"].map { entry[$0].string }[...])
      #expect(JSON(parsing: Array((row[4] ?? "").utf8)) == (row[3] == nil ? entry : .absent))
    }
    #expect(table.count == 5)
  }

  @Test(arguments: [(1, "Ann sent 1 message"), (1234, "Ann sent 1,234 messages")])
  func aPluralIsRendered(count: Int, body: String) async throws {
    let app = try await TestApp.make(.inProcess)
    _ = try await app.admin.upload("\(app.path)/catalogs/server", Self.files)
    let id = Sample.id()
    _ = try await app.client.put(app.installation(id), Sample.report())
    let rendered = try await app.sender.post(
      "\(app.path)/render",
      [
        "message": [
          "alert": ["body": ["key": "MESSAGES", "args": ["who", "n"], "catalog": "server"]],
          "parameters": ["who": ["type": "string"], "n": ["type": "integer"]],
        ],
        "arguments": ["who": "Ann", "n": .number(Double(count))],
        "to": ["installation": .string(id)],
      ])
    #expect(rendered.status == 200)
    #expect(rendered.json["payload"]["aps"]["alert"]["body"] == .string(body))
    #expect(rendered.json["problems"] == [])
  }
}
