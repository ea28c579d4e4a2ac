import APNs
import ASCII
import DeviceProfile
import JSON
import Localization
import Rendering
import Testing

/// One rendering with everything that it depends on; each test changes what it is about.
struct Scene {
  var message: String
  var name: String?
  var arguments = "{}"
  var app = AppFacts(bundleID: "com.example.shop", developmentLanguage: "en")
  var device: Device
  var tables: [StringTable]? = Scene.shopTables
  var serverTables: [StringTable]?
  var options = RenderOptions()

  /// A current device that can localize by itself, in French.
  init(_ message: String) {
    self.message = message
    device = Device(languages: tags("fr-CA"))
    device.locale = "fr_CA"
    device.appBuild = "412"
    device.osVersion = Version(17, 4, 1)
    device.capabilities = [Device.locKeyCapability]
  }

  static let shopTables = [
    table(
      "en",
      [
        "FOOD_ORDERED": "Order placed", "FOOD_PICKUP_TIME": "Pick it up at %@", "PLAIN": "Hello",
        "TWO": "%2$@ and %1$@", "COUNT": "%d orders", "PERCENT": "100%% of %@", "SHARE": "50% off",
        "ONLY_EN": "English only", "TITLE": "Shop", "NUMBER": "No. %@",
      ]),
    table(
      "fr",
      [
        "FOOD_ORDERED": "Commande passée", "FOOD_PICKUP_TIME": "À prendre à %@",
        "PLAIN": "Bonjour", "TWO": "%2$@ et %1$@", "COUNT": "%d commandes",
        "PERCENT": "100%% de %@", "SHARE": "50% de moins", "TITLE": "Boutique", "NUMBER": "N° %@",
        "ZERO": "%0$@",
      ]),
    StringTable(localization: "fr", name: "Other", entries: ["IN_OTHER": .text("Autre")]),
  ]

  static func table(_ language: String, _ texts: [String: String]) -> StringTable {
    StringTable(
      localization: language, name: "Localizable",
      entries: Dictionary(uniqueKeysWithValues: texts.map { (Spelling($0), .text($1)) }))
  }

  func renderer() throws -> Renderer {
    let message = try Message(parsing: self.message)
    return Renderer(
      message: message, name: name,
      arguments: try Arguments(parsing: arguments, for: message),
      app: app, options: options, now: 1_700_000_000)
  }

  func render() throws -> RenderedContent {
    let content = try renderer().content(
      for: device, catalogs: DeviceCatalogs(app: view(tables), server: view(serverTables)))
    #expect(Set(content.codes).isSubset(of: RenderProblem.codes), "a code that is not listed")
    return content
  }

  private func view(_ tables: [StringTable]?) -> CatalogView? {
    tables.map {
      CatalogView(
        Catalog(developmentLanguage: app.developmentLanguage, tables: $0), for: device.languages)
    }
  }
}

/// Language tags of a test's literals.
func tags(_ texts: String...) -> [LanguageTag] {
  texts.compactMap { LanguageTag($0) }
}

extension Message {
  /// A test's literal as a message.
  init(parsing text: String) throws {
    let value = try #require(JSONValue(parsing: Array(text.utf8)))
    self = try value.read { Message(reading: $0) }.body
  }
}

extension Arguments {
  /// A test's literal as the arguments of a message.
  init(parsing text: String, for message: Message) throws {
    let value = try #require(JSONValue(parsing: Array(text.utf8)))
    self = try value.read { Arguments(reading: $0, for: message) }.body
  }
}

extension RenderedContent {
  /// The payload's text.
  var payloadText: String { String(decoding: payload, as: UTF8.self) }
  /// The problems' codes.
  var codes: [String] { problems.map(\.code) }
}
