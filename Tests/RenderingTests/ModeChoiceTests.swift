import ASCII
import DeviceProfile
import Localization
import Rendering
import Testing

@Suite struct ModeChoiceTests {
  @Test(arguments: ModeTable.rows)
  func theChoiceHasAReason(row: ModeRow) throws {
    var scene = Scene(
      """
      {"alert": \(row.alert), "parameters": {
         "s": {"type": "string", "default": ""}, "n": {"type": "integer", "default": 1},
         "d": {"type": "date", "default": 0}, "l": {"type": "list", "default": ["a"]},
         "c": {"type": "currency", "currency": "EUR", "default": 1},
         "u": {"type": "duration", "default": 1},
         "k": {"type": "string", "default": {"loc-key": "PLAIN"}}} \(row.more)}
      """)
    scene.options = RenderOptions(
      localization: row.requested, isVoIP: row.isVoIP, explain: true)
    scene.tables = row.hasCatalog ? Scene.shopTables.map(Self.varied) : nil
    row.change(&scene.device)
    let content = try scene.render()
    #expect(content.explanation?.mode == row.reason)
    #expect(content.mode == row.mode)
    #expect(content.explanation?.tests.last?.passed == (row.mode == .client))
  }

  /// The catalogs are those of the app, and a watch app of its own has strings of its own.
  @Test(
    arguments: [
      (.watchos, nil, .clientPossible), (.watchos, "com.example.shop", .clientPossible),
      (.watchos, "com.example.shop.watch", .noCatalogForBuild),
      (.ios, "com.example.shop.clip", .clientPossible),
    ] as [(Platform, String?, ModeReason)])
  func aWatchAppOfItsOwnHasNoCatalog(
    platform: Platform, bundleID: String?, reason: ModeReason
  ) throws {
    var scene = Scene(#"{"alert": {"body": {"key": "PLAIN"}}}"#)
    scene.app.hasOtherBundles = true
    scene.options.explain = true
    scene.device.platform = platform
    scene.device.bundleID = bundleID
    let content = try scene.render()
    #expect(content.explanation?.mode == reason)
    #expect(content.payloadText.contains("Bonjour"))
  }

  /// Phones of all languages look up the keys of one broadcast.
  @Test(
    arguments: [
      ("PLAIN", .clientPossible), ("ONLY_EN", .keyNotInBuild), ("ONLY_FR", .keyNotInBuild),
    ] as [(String, ModeReason)])
  func aKeyForAllLanguagesIsInEachOfThem(key: String, reason: ModeReason) throws {
    var message = try Message(
      parsing: """
        {"live_activity": {"event": "update", "type": "Match", "content_state": {},
          "alert": {"body": {"key": "\(key)"}}}}
        """)
    message.push?.isBroadcast = true
    let device = BroadcastChannel(
      environment: .production, storagePolicy: .latest, type: "Match", language: nil
    ).typicalDevice(build: "412")
    let renderer = Renderer(
      message: message, arguments: try Arguments(parsing: "{}", for: message), app: Scene("").app,
      options: RenderOptions(explain: true), now: 1_700_000_000)
    let tables = Scene.shopTables + [Scene.table("de", ["PLAIN": "Hallo", "ONLY_EN": "Nur"])]
    let catalog = Catalog(developmentLanguage: "en", tables: tables)
    let content = renderer.content(
      for: device, catalogs: DeviceCatalogs(app: CatalogView(catalog, for: device.languages)))
    #expect(content.explanation?.mode == reason)
  }

  @Test func theTableIsOfDistinctSituations() {
    #expect(Set(ModeTable.rows.map(\.situation)).count == ModeTable.rows.count)
  }

  @Test(
    arguments: [
      ([], Version(17), ["local_not_declared"]), (["local-notification"], Version(17), []),
      ([], Version(9), []), ([], nil, ["local_not_declared"]),
    ] as [(Set<String>, Version?, [String])])
  func localNotificationsThatTheAppDidNotDeclareAreToldOf(
    capabilities: Set<String>, system: Version?, codes: [String]
  ) throws {
    var scene = Scene(#"{"alert": "x"}"#)
    scene.options.localization = .local
    scene.device.capabilities = capabilities
    scene.device.osVersion = system
    #expect(try scene.render().codes == codes)
  }

  @Test(
    arguments: [
      (.denied, .local, ["background_refresh_off"]),
      (.restricted, .local, ["background_refresh_off"]),
      (.available, .local, []), (nil, .local, []), (.denied, .auto, []),
    ] as [(BackgroundRefresh?, LocalizationRequest, [String])])
  func aDemandedLocalNotificationThatMayNotBeShownIsToldOf(
    refresh: BackgroundRefresh?, requested: LocalizationRequest, codes: [String]
  ) throws {
    var scene = Scene(#"{"alert": "x"}"#)
    scene.options = RenderOptions(localization: requested, explain: true)
    scene.device.capabilities = [Device.localNotificationCapability]
    scene.device.backgroundRefresh = refresh
    let content = try scene.render()
    #expect(content.codes == codes)
    if requested == .auto {
      #expect(content.explanation?.tests.last?.test == .backgroundRefreshOff)
      #expect(content.explanation?.tests.last?.saw == "denied")
    }
  }

  /// A table with entries that vary.
  private static func varied(_ table: StringTable) -> StringTable {
    var table = table
    guard table.localization == "fr", table.name == "Localizable" else { return table }
    table.entries["NEW"] = .text("Nouveau")
    table.uncertain = ["NEW", "PART"]
    table.entries["EMPTY"] = .text("")
    table.entries["MARKED"] = .text("^[Bienvenu](inflect: true)")
    table.entries["SPACED"] = .text("À % @")
    table.entries["BARE"] = .text("%@")
    table.entries["PLURAL"] = .plural(PluralFormat("Bonjour"))
    table.entries["BY_DEVICE"] = .devices([.iphone: PluralFormat("Bonjour")])
    table.entries["BY_WIDTH"] = .widths([20: PluralFormat("Bonjour")])
    return table
  }

  @Test(arguments: [
    ("integer", "1", "a number"), ("percent", "0.5", "a number"), ("list", #"["a"]"#, "a list"),
    ("duration", "60", "a number"), ("string", #"{"loc-key": "PLAIN"}"#, "the key PLAIN"),
  ])
  func theArgumentThatIsNoTextIsNamed(type: String, value: String, seen: String) throws {
    var scene = Scene(
      """
      {"alert": {"body": {"key": "TWO", "args": ["s", "n"]}},
       "parameters": {"s": {"type": "string", "default": ""}, "n": {"type": "\(type)"}}}
      """)
    scene.arguments = #"{"n": \#(value)}"#
    scene.options.explain = true
    let test = try #require(try scene.render().explanation?.tests.last)
    #expect(test.test == .argumentNotText)
    #expect(test.saw == "body: TWO, `n` is \(seen)")
  }

  @Test(
    arguments: [
      (#""alert": "x""#, LocalizationRequest.server, .auto, "server is asked for"),
      (#""alert": "x""#, .client, .server, "client is asked for"),
      (#""alert": "x""#, .auto, .server, "the app wants server"),
      (#""content_available": 1"#, .auto, .auto, "nothing to notice"),
    ] as [(String, LocalizationRequest, LocalizationPreference, String)])
  func whyAnOldSystemOrAWillingAppMakesNoLocalNotificationIsTold(
    message: String, requested: LocalizationRequest, wish: LocalizationPreference, seen: String
  ) throws {
    var scene = Scene("{\(message)}")
    scene.options = RenderOptions(localization: requested, explain: true)
    scene.device.osVersion = Version(9)
    scene.device.localization = wish
    scene.device.capabilities = [Device.localNotificationCapability]
    let tests = try #require(try scene.render().explanation).tests
    for local in [ModeReason.backgroundRefreshOff, .systemBefore10, .declaredLocal] {
      let test = tests.first { $0.test == local }
      #expect(test?.passed == true && test?.saw == seen)
    }
  }

  @Test func theChoiceExplainsItself() throws {
    var scene = Scene(#"{"alert": {"body": {"key": "NOWHERE"}}}"#)
    scene.options.explain = true
    let explanation = try #require(try scene.render().explanation)
    #expect(explanation.tests.last == explanation.tests.first { !$0.passed })
    #expect(explanation.tests.last?.saw == "body: NOWHERE")
    #expect(explanation.tests.first { $0.test == .osUnknown }?.saw == "17.4.1")
    #expect(explanation.tests.first { $0.test == .voipCredential }?.saw == "apns")
    #expect(explanation.tests.first { $0.test == .requestedLocal }?.saw == "auto")
    #expect(explanation.tests.first { $0.test == .systemBefore10 }?.saw == "ios 17.4.1")
    #expect(explanation.preferred == ["fr-CA"])
    scene.message = #"{"alert": {"body": {"key": "PLAIN"}}, "fallback_language": "en"}"#
    let tests = try #require(try scene.render().explanation).tests
    #expect(tests.map(\.test) == ModeReason.allCases.dropLast(2))
    #expect(!tests.contains { !$0.passed })
    #expect(tests.first { $0.test == .messageTrigger }?.saw == "none")
    #expect(tests.first { $0.test == .fallbackLanguage }?.saw == "fr")
    #expect(tests.last?.saw == "54 bytes")
  }
}
