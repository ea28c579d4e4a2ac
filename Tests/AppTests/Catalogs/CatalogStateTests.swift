import AppTesting
import Testing

/// What is not translated yet, from the upload to the notification.
@Suite struct CatalogStateTests {
  private static let strings = """
    {"sourceLanguage": "en", "version": "1.0", "strings": {
      "ORDER_READY": {"localizations": {
        "en": {"stringUnit": {"state": "new", "value": "Your order is ready"}}}},
      "DISHES": {"localizations": {
        "en": {"variations": {"plural": {
          "one": {"stringUnit": {"state": "translated", "value": "%lld dish"}},
          "other": {"stringUnit": {"state": "new", "value": "%lld dishes"}}}}},
        "fr": {"variations": {"plural": {
          "one": {"stringUnit": {"state": "translated", "value": "%lld plat"}},
          "other": {"stringUnit": {"state": "new", "value": "%lld plats"}}}}}}}}}
    """

  @Test(arguments: Transport.allCases)
  func nobodySeesAKeyOrNothing(transport: Transport) async throws {
    let app = try await TestApp.make(transport)
    let uploaded = try await app.admin.upload(
      "\(app.path)/catalogs/412", [(path: "Localizable.xcstrings", text: Self.strings)])
    #expect(uploaded.status == 201)
    #expect(uploaded.text == uploaded.json.text, "members are sorted")
    let stored = try await app.admin.get("\(app.path)/catalogs/412")
    #expect(stored.json == uploaded.json)
    #expect(
      uploaded.json["diagnostics"].elements.map { [$0["code"], $0["line"], $0["column"]] }
        == [["incomplete_translation", 8, 5]])

    let id = Sample.id()
    var report = Sample.report()
    report["languages"] = ["fr-CA"]
    report["app_build"] = "412"
    report["os_version"] = "17.4"
    report["capabilities"] = ["loc-key"]
    _ = try await app.client.put(app.installation(id), report)
    func shown(_ key: String, _ localization: String) async throws -> JSON {
      let reply = try await app.sender.post(
        "\(app.path)/render",
        [
          "message": [
            "alert": ["body": ["key": .string(key), "args": ["n"]]],
            "parameters": ["n": ["type": "integer", "default": 2]],
          ],
          "localization": .string(localization), "explain": true,
          "to": ["installation": .string(id)],
        ])
      #expect(reply.status == 200, "\(reply.text)")
      #expect(reply.json["mode"] == "server")
      #expect(reply.json["explain"]["mode"] == "uncertain_entry" || localization == "server")
      #expect(
        reply.json["problems"].elements.map { $0["code"].string }
          == ["key_not_in_localization", "development_language_used"]
          + (localization == "client" ? ["uncertain_entry"] : []))
      return reply.json["payload"]["aps"]["alert"]
    }
    for localization in ["auto", "client", "server"] {
      #expect(try await shown("DISHES", localization) == ["body": "2 dishes"])
    }
    #expect(try await shown("ORDER_READY", "server") == ["body": "Your order is ready"])
  }

  /// Xcode takes the key for the text where a source says nothing.
  @Test(arguments: [
    ("FOOD_READY", ["key_shown"]), ("order.ready", ["key_shown"]), ("Ready.", []),
    ("Order is ready", []), ("v_", []), ("1.5", []), ("Fertig_für", []),
  ])
  func aKeyThatIsNoTextIsTold(key: String, codes: [String]) async throws {
    let app = try await TestApp.make(.inProcess)
    let text = #"{"sourceLanguage": "en", "version": "1.0", "strings": {"\#(key)": {}}}"#
    _ = try await app.admin.upload(
      "\(app.path)/catalogs/412", [(path: "Localizable.xcstrings", text: text)])
    let reply = try await app.admin.post(
      "\(app.path)/preview",
      [
        "message": ["alert": ["body": ["key": .string(key)]]], "languages": ["en"],
        "app_version": "412", "localization": "server",
      ])
    let shown = reply.json["languages"][0]
    #expect(shown["body"].string == key)
    #expect(shown["problems"].elements.map { $0["code"].string } == codes)
  }

  /// The same text, for a reader of the language in which it was written.
  @Test func aNewTextOfTheSourceIsNoKey() async throws {
    let app = try await TestApp.make(.inProcess)
    _ = try await app.admin.upload(
      "\(app.path)/catalogs/412", [(path: "Localizable.xcstrings", text: Self.strings)])
    let id = Sample.id()
    var report = Sample.report()
    report["languages"] = ["en"]
    report["app_build"] = "412"
    report["os_version"] = "17.4"
    report["capabilities"] = ["loc-key"]
    _ = try await app.client.put(app.installation(id), report)
    let reply = try await app.sender.post(
      "\(app.path)/render",
      [
        "message": ["alert": ["body": ["key": "ORDER_READY"]]], "localization": "client",
        "explain": true, "to": ["installation": .string(id)],
      ])
    #expect(reply.json["payload"] == ["aps": ["alert": ["body": "Your order is ready"]]])
    #expect(reply.json["explain"]["mode"] == "uncertain_entry")
    #expect(reply.json["problems"].elements.map { $0["code"] } == ["uncertain_entry"])
  }

  /// The name of an app says which of two bundles is its own.
  @Test func anAppOfAnotherNameHasTheTextsOfAnotherBundle() async throws {
    let app = try await TestApp.make(.inProcess)
    func rename(_ name: JSON) async throws {
      #expect(try await app.service.client().put(app.path, ["name": name]).status == 200)
    }
    func body() async throws -> JSON {
      let reply = try await app.sender.post(
        "\(app.path)/preview",
        ["message": ["alert": ["body": ["key": "DONE"]]], "localization": "server"])
      return reply.json["languages"][0]["body"]
    }
    try await rename("Food")
    let reply = try await app.admin.upload(
      "\(app.path)/catalogs/1",
      ["Food", "FoodPro"].map { ("\($0)/en.lproj/Localizable.strings", "DONE = \"\($0)\";") })
    #expect(reply.status == 201)
    #expect(try await body() == "Food")
    try await rename("FoodPro")
    #expect(try await body() == "FoodPro")
  }
}
