import Localization
import Rendering
import Testing

@Suite("The choice of the mode")
struct ModeChoiceTests {
  struct Row: Sendable, CustomTestStringConvertible {
    var reason: ModeReason
    var alert = #"{"body": {"key": "PLAIN"}}"#
    var arguments = "{}"
    var requested = LocalizationPreference.auto
    var hasCatalog = true
    var change: @Sendable (inout Device) -> Void = { _ in }
    var testDescription: String { "\(reason.rawValue) \(alert)" }
  }

  static let rows = [
    Row(reason: .clientPossible),
    Row(reason: .clientPossible, alert: #"{"body": {"key": "TWO", "args": ["s", "s"]}}"#),
    Row(reason: .clientPossible, alert: #"{"body": {"key": "PLAIN", "args": ["s"]}}"#),
    Row(reason: .clientPossible, change: { $0.osVersion = OSVersion(3, 0) }),
    Row(
      reason: .clientPossible, requested: .client, change: { $0.capabilities = [] }),
    Row(
      reason: .clientPossible,
      change: {
        $0.capabilities = []
        $0.localization = .client
      }),
    Row(reason: .noText, alert: "null"),
    Row(reason: .requestedServer, requested: .server),
    Row(reason: .devicePrefersServer, change: { $0.localization = .server }),
    Row(reason: .devicePrefersServer, requested: .client, change: { $0.localization = .server }),
    Row(reason: .literalText, alert: #"{"title": "x", "body": {"key": "PLAIN"}}"#),
    Row(reason: .serverCatalog, alert: #"{"body": {"key": "PLAIN", "catalog": "server"}}"#),
    Row(reason: .noLocKeyCapability, change: { $0.capabilities = ["mutable-content"] }),
    Row(reason: .osUnknown, change: { $0.osVersion = nil }),
    Row(
      reason: .osTooOld, alert: #"{"title": {"key": "PLAIN"}}"#,
      change: { $0.osVersion = OSVersion(8, 1) }),
    Row(
      reason: .clientPossible, alert: #"{"title": {"key": "PLAIN"}}"#,
      change: { $0.osVersion = OSVersion(8, 2) }),
    Row(
      reason: .osTooOld, alert: #"{"subtitle": {"key": "PLAIN"}, "body": {"key": "PLAIN"}}"#,
      change: { $0.osVersion = OSVersion(9, 3) }),
    Row(
      reason: .osTooOld,
      change: {
        $0.platform = .macos
        $0.osVersion = OSVersion(10, 13)
      }),
    Row(reason: .tableNotLocalizable, alert: #"{"body": {"key": "IN_OTHER", "table": "Other"}}"#),
    Row(reason: .noCatalogForBuild, hasCatalog: false),
    Row(reason: .noCatalogForBuild, requested: .client, hasCatalog: false),
    Row(reason: .keyNotInBuild, alert: #"{"body": {"key": "NOWHERE"}}"#),
    Row(reason: .keyNotInBuild, alert: #"{"body": {"key": "ONLY_EN"}}"#),
    Row(reason: .pluralEntry, alert: #"{"body": {"key": "PLURAL", "args": ["n"]}}"#),
    Row(reason: .pluralEntry, alert: #"{"body": {"key": "BY_DEVICE"}}"#),
    Row(reason: .pluralEntry, alert: #"{"body": {"key": "BY_WIDTH"}}"#),
    Row(reason: .unsupportedSpecifier, alert: #"{"body": {"key": "COUNT", "args": ["s"]}}"#),
    Row(reason: .unsupportedSpecifier, alert: #"{"body": {"key": "SHARE"}}"#),
    Row(reason: .unsupportedSpecifier, alert: #"{"body": {"key": "ZERO", "args": ["s"]}}"#),
    Row(reason: .argumentCount, alert: #"{"body": {"key": "FOOD_PICKUP_TIME"}}"#),
    Row(reason: .argumentCount, alert: #"{"body": {"key": "TWO", "args": ["s"]}}"#),
    Row(reason: .argumentNotText, alert: #"{"body": {"key": "NUMBER", "args": ["n"]}}"#),
  ]

  @Test("has a reason", arguments: rows)
  func reason(row: Row) throws {
    var scene = Scene(
      """
      {"alert": \(row.alert), "sound": "default",
       "parameters": {"s": {"type": "string", "default": ""},
                      "n": {"type": "integer", "default": 1}}}
      """)
    scene.options = RenderOptions(localization: row.requested, explain: true)
    scene.tables = row.hasCatalog ? Scene.shopTables.map(Self.varied) : nil
    row.change(&scene.device)
    let request = try scene.render()
    #expect(request.explanation?.mode == row.reason)
    #expect(request.mode == (row.reason == .clientPossible ? .client : .server))
    #expect(request.explanation?.tests.last?.passed == (row.reason == .clientPossible))
  }

  /// A table with entries that vary.
  private static func varied(_ table: StringTable) -> StringTable {
    var table = table
    guard table.localization == "fr", table.name == "Localizable" else { return table }
    table.entries["PLURAL"] = .plural(PluralFormat("Bonjour"))
    table.entries["BY_DEVICE"] = .devices([.iphone: PluralFormat("Bonjour")])
    table.entries["BY_WIDTH"] = .widths([20: PluralFormat("Bonjour")])
    return table
  }

  @Test(
    "says which argument is no text",
    arguments: [
      ("integer", "1", "a number"), ("percent", "0.5", "a number"), ("list", #"["a"]"#, "a list"),
      ("duration", "60", "a number"), ("string", #"{"loc-key": "PLAIN"}"#, "the key PLAIN"),
    ])
  func argument(type: String, value: String, seen: String) throws {
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

  @Test("explains itself")
  func explanation() throws {
    var scene = Scene(#"{"alert": {"body": {"key": "NOWHERE"}}}"#)
    scene.options.explain = true
    let explanation = try #require(try scene.render().explanation)
    #expect(explanation.tests.last == explanation.tests.first { !$0.passed })
    #expect(explanation.tests.last?.saw == "body: NOWHERE")
    #expect(explanation.tests.first { $0.test == .osUnknown }?.saw == "17.4.1")
    #expect(explanation.preferred == ["fr-CA"])
  }
}
