import AppTesting
import Testing

/// A message in every language before it is sent to anybody.
@Suite struct PreviewMessageTests {
  static let message: JSON = [
    "alert": [
      "title": ["key": "FOOD_ORDERED"], "body": ["key": "FOOD_PICKUP", "args": ["when", "what"]],
    ],
    "parameters": ["when": ["type": "date", "time": "short"], "what": ["type": "string"]],
  ]

  /// Asks for a preview of the message above; null takes a field away.
  private func preview(_ app: TestApp, _ more: [String: JSON] = [:]) async throws -> Reply {
    var body: JSON = [
      "message": Self.message, "arguments": ["when": "2026-05-02T19:32:41Z", "what": "Soup"],
      "time_zone": "Europe/Paris",
    ]
    for (name, value) in more { body[name] = value == .null ? .absent : value }
    return try await app.sender.post("\(app.path)/preview", body)
  }

  @Test(arguments: Transport.allCases)
  func aMessageIsShownInEveryLanguage(transport: Transport) async throws {
    let app = try await Scene(transport).app
    let reply = try await preview(app, ["languages": "all"])
    #expect(reply.status == 200)
    #expect(reply["server-timing"]?.contains("perform;dur=") == true)
    #expect(reply.json["app_version"] == "412")
    let rows = reply.json["languages"].elements
    #expect(rows.map { $0["language"] } == ["en", "fr", "zh_Hant"])
    #expect(rows.map { $0["chosen"] } == ["en", "fr", "en"])
    #expect(rows.map { $0["mode"] } == ["client", "client", "server"])
    #expect(rows.map { $0["title"] } == ["New order", "Nouvelle commande", "新訂單"])
    #expect(rows.map { $0["subtitle"] } == [.null, .null, .null])
    #expect(
      rows.map { $0["body"] } == [
        "Pick Soup up at 9:32\u{202F}PM (100%)", "21:32 : Soup vous attend",
        "Pick Soup up at 9:32\u{202F}PM (100%)",
      ])
    #expect(
      rows[1]["payload"]["aps"]["alert"] == [
        "title-loc-key": "FOOD_ORDERED", "title": "Nouvelle commande",
        "loc-key": "FOOD_PICKUP", "loc-args": ["21:32", "Soup"], "body": "21:32 : Soup vous attend",
      ])
    for row in rows {
      #expect(row["payload_bytes"].whole == row["payload"].text.utf8.count)
      #expect(row["differs"] == .absent)
    }
    #expect(rows[1]["problems"] == [])
    #expect(
      rows[2]["problems"].elements.map { $0["code"] }
        == ["key_not_in_localization", "development_language_used"])
    // Nothing was stored and no device was needed.
    #expect(try await app.stored() == "0 0 0 1")
    #expect(try await app.client.post("\(app.path)/preview", [:]).status == 403)
    let byAdmin = try await app.admin.post("\(app.path)/preview", ["message": ["alert": "Hi"]])
    #expect(byAdmin.json["languages"].elements.map { $0["body"] } == ["Hi", "Hi", "Hi"])
  }

  /// What may be asked besides, and what comes of it: language, localization, mode and body.
  @Test(
    arguments: [
      (["languages": ["fr-CA"]], ["fr-CA fr client 21:32 : Soup vous attend"]),
      (
        ["languages": ["pl", "fr", "fr"], "localization": "server"],
        [
          "fr fr server 21:32 : Soup vous attend",
          "pl en server Pick Soup up at 9:32\u{202F}PM (100%)",
        ]
      ),
      (
        ["languages": ["en"], "locale": "en_DE", "time_zone": "Asia/Hong_Kong"],
        ["en en client Pick Soup up at 03:32 (100%)"]
      ),
      (
        ["languages": ["en"], "platform": "macos"],
        ["en en client Pick Soup up at 9:32\u{202F}PM (100%)"]
      ),
      (["languages": ["en"], "app_version": "411"], ["en fr client 21:32 – Soup"]),
    ] as [([String: JSON], [String])])
  func aPreviewIsForTheDeviceThatIsMeant(more: [String: JSON], expected: [String]) async throws {
    let app = try await Scene(.inProcess).app
    let files = [(path: "fr.lproj/Localizable.strings", text: "\"FOOD_PICKUP\" = \"%@ – %@\";\n")]
    _ = try await app.admin.upload("\(app.path)/catalogs/411", files)
    // Uploaded last, so it is the newest.
    _ = try await app.admin.upload("\(app.path)/catalogs/412", Scene.files)
    let body: JSON = [
      "alert": Self.message["alert"]["body"], "parameters": Self.message["parameters"],
    ]
    let reply = try await preview(app, more.merging(["message": body]) { $1 })
    let rows = reply.json["languages"].elements.map { row in
      ["language", "chosen", "mode", "body"].map { row[$0].string ?? "-" }.joined(separator: " ")
    }
    #expect(rows == expected, "\(reply.text)")
  }

  @Test func theServersCatalogAndTheMessageAddTheirLanguages() async throws {
    let app = try await TestApp.make(.inProcess)
    let message: JSON = [
      "alert": [
        "title": ["text": ["it": "Ciao", "en": "Hi"]], "body": ["key": "FOOD_ORDERED"],
      ]
    ]
    func languages() async throws -> [JSON] {
      let reply = try await app.sender.post("\(app.path)/preview", ["message": message])
      #expect(reply.status == 200 && reply.json["app_version"] == .null)
      return reply.json["languages"].elements.map { $0["language"] }
    }
    #expect(try await languages() == ["en", "it"])
    _ = try await app.admin.upload("\(app.path)/catalogs/server", Scene.files)
    #expect(try await languages() == ["en", "fr", "it", "zh_Hant"])
    // With no language anywhere, the development language is shown.
    let plain = try await TestApp.make(.inProcess)
    let reply = try await plain.sender.post("\(plain.path)/preview", ["message": ["alert": "Hi"]])
    #expect(reply.json["languages"].elements.map { $0["language"] } == ["en"])
  }

  @Test func aStateAddsItsLanguagesAndAnActivityItsTexts() async throws {
    let app = try await Scene(.inProcess).app
    let message: JSON = [
      "live_activity": [
        "event": "start", "type": "Delivery",
        "attributes": ["shop": ["text": ["it": "Negozio", "en": "Shop"]]],
        "content_state": ["note": ["text": ["en": "Soon", "ja": "まもなく"]]],
        "alert": [
          "title": ["key": "FOOD_ORDERED"],
          "body": ["key": "FOOD_PICKUP", "args": ["when", "what"]],
        ],
      ],
      "parameters": Self.message["parameters"],
    ]
    let rows = try await preview(app, ["message": message]).json["languages"].elements
    #expect(rows.map { $0["language"] } == ["en", "fr", "it", "ja", "zh_Hant"])
    #expect(rows[1]["mode"] == "client" && rows[1]["differs"] == .absent)
    #expect(rows[1]["title"] == "Nouvelle commande")
    #expect(rows[1]["body"] == "21:32 : Soup vous attend")
    #expect(rows[3]["payload"]["aps"]["content-state"] == ["note": "まもなく"])
  }

  @Test(
    arguments: [
      (
        ["languages": ["fr", "f", 1]],
        ["/languages/1 invalid_language", "/languages/2 invalid_language"]
      ),
      (["languages": []], ["/languages too_short"]),
      (["languages": "fr"], ["/languages wrong_type"]),
      (["languages": .array((0...256).map { .string("a\($0)") })], ["/languages too_many"]),
      (["time_zone": "Europe/Nowhere"], ["/time_zone unknown_time_zone"]),
      (["platform": "tv"], ["/platform unknown_value"]),
      (["localization": "device"], ["/localization unknown_value"]),
      (["app_version": "server"], ["/app_version unknown_value"]),
      (["app_version": ""], ["/app_version too_short"]),
      (["language": "fr"], ["/language unknown_field"]),
      (["arguments": ["when": 1]], ["/arguments/what missing_argument"]),
      (["message": .null], ["/message missing_field"]),
    ] as [([String: JSON], [String])])
  func aQuestionThatIsWrongIsRefused(more: [String: JSON], faults: [String]) async throws {
    let app = try await Scene(.inProcess).app
    let reply = try await preview(app, more)
    #expect(reply.status == 422)
    #expect(reply.faults == faults)
  }

  /// A call has finished text, and the headers and the member of a call.
  @Test func aMessageForCallsIsShownAsTheCallThatItIs() async throws {
    let app = try await Scene(.inProcess).app
    var message = Self.message
    message["push_type"] = "voip"
    message["call"] = ["id": "c7"]
    let reply = try await preview(app, ["message": message, "languages": ["fr"]])
    let row = reply.json["languages"][0]
    #expect(row["mode"] == "voip", "\(reply.text)")
    #expect(row["body"] == "21:32 : Soup vous attend")
    #expect(
      row["payload"]["aps"]["alert"]
        == ["title": "Nouvelle commande", "body": "21:32 : Soup vous attend"])
    #expect(row["payload"]["call"]["id"] == "c7")
  }

  @Test func aStoredMessageIsShownByItsName() async throws {
    let app = try await Scene(.inProcess).app
    let stored = try await app.admin.put("\(app.path)/messages/pickup", Self.message)
    #expect(stored.status == 201)
    let inline = try await preview(app).json["languages"].elements
    let named = try await preview(app, ["message": "pickup"]).json["languages"].elements
    #expect(named.map { $0["body"] } == inline.map { $0["body"] })
    #expect(named[0]["payload"]["messageType"] == "pickup")
    let reply = try await preview(app, ["message": "pickup", "arguments": ["when": 1]])
    #expect(reply.faults == ["/arguments/what missing_argument"])
  }

  @Test func whatIsNotThereIsNotFound() async throws {
    let app = try await Scene(.inProcess).app
    #expect(try await preview(app, ["app_version": "9"]).problem == "catalog_not_found")
    #expect(try await preview(app, ["message": "nobody"]).problem == "message_not_found")
  }

  /// More languages than a preview shows are not cut off unnoticed.
  @Test func tooManyLanguagesAreToldOf() async throws {
    let app = try await TestApp.make(.inProcess)
    let regions = (0..<257).map { String($0 + 1000).dropFirst() }
    let files = regions.map { region in
      (path: "en-\(region).lproj/Localizable.strings", text: "\"K\" = \"v\";\n")
    }
    let uploaded = try await app.admin.upload("\(app.path)/catalogs/1", Array(files))
    #expect(uploaded.status == 201, "\(uploaded.text.prefix(300))")
    let reply = try await app.sender.post("\(app.path)/preview", ["message": ["alert": "Hi"]])
    #expect(reply.status == 422)
    #expect(reply.faults == ["/languages too_many"])
  }
}
