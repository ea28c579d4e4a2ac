import DeviceProfile
import JSON
import Localization
import Testing

@testable import Rendering

@Suite struct PreviewTests {
  private func preview(
    _ message: String, arguments: String = "{}", tables: [StringTable]? = Scene.shopTables,
    options: RenderOptions = RenderOptions()
  ) throws -> Preview {
    let message = try Message(parsing: message)
    let device = Scene("").device
    let renderer = Renderer(
      message: message, arguments: try Arguments(parsing: arguments, for: message),
      app: AppFacts(bundleID: "com.example.shop", developmentLanguage: "en"),
      options: options, now: 1_700_000_000)
    let catalog = tables.map { Catalog(developmentLanguage: "en", tables: $0) }
    return renderer.preview(
      for: device,
      catalogs: DeviceCatalogs(app: catalog.map { CatalogView($0, for: device.languages) }))
  }

  private static let order = """
    {"alert": {"title": {"key": "TITLE"}, "subtitle": "100%%", "body": {"key": "PERCENT",
     "args": ["what"]}}, "parameters": {"what": {"type": "string", "default": "tout 50% %@"}}}
    """
  private static let shown = ShownAlert(
    title: "Boutique", subtitle: "100%%", body: "100% de tout 50% %@")

  @Test func aPreviewShowsTheSameTextWhoeverLocalizes() throws {
    let keyed = Self.order.replacing(#""subtitle": "100%%", "#, with: "")
    for (message, options, mode) in [
      (Self.order, RenderOptions(), .server), (keyed, RenderOptions(), .client),
      (keyed, RenderOptions(localization: .server), .server),
    ] as [(String, RenderOptions, Mode)] {
      let preview = try preview(message, options: options)
      #expect(preview.content.mode == mode)
      #expect(preview.shown.title == Self.shown.title && preview.shown.body == Self.shown.body)
      #expect(preview.shown.subtitle == (message == keyed ? nil : Self.shown.subtitle))
      #expect(preview.differences == [])
    }
  }

  @Test func anActivityShowsWhatItsKeysAreFor() throws {
    let activity = try preview(
      """
      {"live_activity": {"event": "start", "type": "Delivery", "attributes": {},
        "content_state": {"note": {"text": {"en": "Soon", "ja": "まもなく"}}},
        "alert": {"title": {"key": "TITLE"}, "body": {"key": "PERCENT", "args": ["what"]}}},
       "parameters": {"what": {"type": "string", "default": "tout 50% %@"}}}
      """)
    #expect(activity.content.mode == .client)
    #expect(activity.shown == ShownAlert(title: "Boutique", body: "100% de tout 50% %@"))
    #expect(activity.differences == [])
  }

  @Test func aPreviewSaysWhereADeviceWouldShowSomethingElse() throws {
    // Longer than any text that the server makes; a device knows no such bound.
    let tables = [Scene.table("fr", ["LONG": String(repeating: "%1$@", count: 70)])]
    let long = try preview(
      """
      {"alert": {"body": {"key": "LONG", "args": ["what"]}},
       "parameters": {"what": {"type": "string"}}}
      """,
      arguments: #"{"what": "\#(String(repeating: "x", count: 1000))"}"#, tables: tables)
    #expect(long.content.mode == .client)
    #expect(long.shown.body?.utf8.count == 70_000)
    #expect(long.differences == [.body])
    var writer = JSONWriter()
    writer.object { long.writeMembers(to: &$0) }
    #expect(writer.text.hasSuffix(#","differs":["body"]}"#))
  }

  @Test func aPreviewTellsNothingOfKeysThatNoCatalogExplains() throws {
    let bare = try preview(
      #"{"alert": {"body": {"key": "PLAIN"}}, "literal_fallback": false}"#, tables: nil,
      options: RenderOptions(localization: .client))
    #expect(bare.content.mode == .client)
    #expect(bare.shown == ShownAlert())
    #expect(bare.differences == [])
    #expect(bare.content.codes == ["unverified_keys"])
  }
}
