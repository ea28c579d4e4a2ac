import APNs
import ASCII
import JSON
import Localization
import Rendering
import Testing

/// A payload is judged by what a person would see of it.
@Suite struct PayloadCheckTests {
  private static let catalog = Catalog(
    developmentLanguage: "en",
    tables: [
      StringTable(
        localization: "en", name: "Localizable",
        entries: [
          "PLAIN": .text("Hello"), "HI": .text("Hi %@"), "WROTE": .text("%@ wrote to %@"),
          "POSITIONS": .text("%2$@: %1$@"), "ZERO": .text("%0$@"), "COUNT": .text("%d new"),
          "LONG": .text("%1$lld of %2$lld"), "SHARE": .text("100%% of it"), "EMPTY": .text(""),
          "OFF": .text("50% off, 50%discount, %-tal"),
          "BOATS": .text("^[%@ boat](inflect: true)"),
          "PLURAL": .plural(
            PluralFormat(
              "%#@n@", variables: ["n": PluralVariable(specifier: "d", cases: [.other: "%d"])])),
        ]),
      Scene.table("fr", ["PLAIN": "Bonjour"]),
    ])

  /// Alerts for a language, and what is found: pointer below `alert`, code, `?` for a notice.
  private static let rows: [(alert: String, language: String, problems: [String])] = [
    (#"{"loc-key": "PLAIN"}"#, "en", []),
    (#"{"loc-key": "HI", "loc-args": ["Ann"]}"#, "en", []),
    (#"{"loc-key": "POSITIONS", "loc-args": ["a", "b", "c"]}"#, "en", []),
    // The key itself.
    (#"{"loc-key": "APN_Message"}"#, "en", ["/loc-key loc_key_shown"]),
    (#"{"loc-key": "HI", "loc-args": ["Ann"]}"#, "fr", ["/loc-key loc_key_shown"]),
    (#"{"title-loc-key": "NO", "body": "x"}"#, "en", ["/title-loc-key loc_key_shown"]),
    (#"{"subtitle-loc-key": "NO", "body": "x"}"#, "en", ["/subtitle-loc-key loc_key_shown"]),
    (#"{"loc-key": "NO", "body": "x"}"#, "en", ["/loc-key loc_key_missing?"]),
    // An argument that is not there.
    (#"{"loc-key": "WROTE", "loc-args": ["Ann"]}"#, "en", ["/loc-key null_shown"]),
    (#"{"loc-key": "POSITIONS", "loc-args": ["Ann"]}"#, "en", ["/loc-key null_shown"]),
    (#"{"loc-key": "ZERO", "loc-args": ["Ann"]}"#, "en", ["/loc-key null_shown"]),
    (#"{"loc-key": "HI", "loc-args": ["(null)"]}"#, "en", ["/loc-key null_shown"]),
    (#"{"title": "Ann wrote to <null>", "body": "x"}"#, "en", ["/title null_shown"]),
    (#""Ann wrote to <null>""#, "en", [" null_shown"]),
    (
      #"{"loc-key": "NO", "body": "%@, %@", "loc-args": ["Ann"]}"#, "en",
      ["/loc-key loc_key_missing?", "/body null_shown"]
    ),
    // A placeholder.
    (#"{"loc-key": "HI"}"#, "en", ["/loc-key placeholder_shown"]),
    (#"{"loc-key": "HI", "loc-args": []}"#, "en", ["/loc-key placeholder_shown"]),
    (#"{"loc-key": "COUNT"}"#, "en", ["/loc-key placeholder_shown"]),
    (#"{"loc-key": "LONG"}"#, "en", ["/loc-key placeholder_shown"]),
    (#"{"loc-key": "PLURAL"}"#, "en", ["/loc-key placeholder_shown"]),
    (#"{"loc-key": "SHARE"}"#, "en", ["/loc-key placeholder_shown"]),
    (#"{"loc-key": "OFF"}"#, "en", []),
    (#""Hi %@""#, "en", [" placeholder_shown"]),
    (#"{"body": "Hi %1$@, %2$@"}"#, "en", ["/body placeholder_shown"]),
    (#"{"body": "20% discount, 30%discount, 100%% of it %d"}"#, "en", []),
    // Markup that only an app reads.
    (#"{"body": "^[3 boats](inflect: true)"}"#, "en", ["/body markup_shown"]),
    (#"{"loc-key": "BOATS", "loc-args": ["3"]}"#, "en", ["/loc-key markup_shown"]),
    (#"{"body": "x^[2](see below)"}"#, "en", []),
    // What a device has no value for.
    (#"{"loc-key": "COUNT", "loc-args": ["3"]}"#, "en", ["/loc-key placeholder_lost"]),
    (#"{"loc-key": "PLURAL", "loc-args": ["3"]}"#, "en", ["/loc-key placeholder_lost"]),
    (#"{"loc-key": "OFF", "loc-args": ["3"]}"#, "en", ["/loc-key placeholder_lost"]),
    (#"{"loc-key": "EMPTY"}"#, "en", ["/loc-key alert_empty"]),
  ]

  private static func check(
    _ payload: String, _ pushType: PushType = .alert, app: CatalogView?
  ) throws -> [String] {
    guard case .object(let object)? = JSONValue(parsing: Array(payload.utf8)) else { return [] }
    let headers = RequestHeaders(
      bundleID: "com.example.shop", pushType: pushType, now: 1_700_000_000)
    let check = PayloadCheck(object, headers: headers, app: app, envelopeKey: "payload")
    #expect(check.problems.allSatisfy { $0.detail.hasSuffix(".") })
    return check.problems.map { problem in
      let pointer = problem.pointer.replacing("/payload/aps/alert", with: "")
      return "\(pointer) \(problem.code)\(problem.kind.isNotice ? "?" : "")"
    }
  }

  @Test(arguments: rows.indices)
  func whatAPersonShouldNotSeeIsAnError(row index: Int) throws {
    let row = Self.rows[index]
    let view = CatalogView(Self.catalog, for: tags(row.language))
    #expect(try Self.check(#"{"aps":{"alert":\#(row.alert)}}"#, app: view) == row.problems)
    // The same in a local notification.
    let local = #"{"aps":{"content-available":1},"payload":{"aps":{"alert":\#(row.alert)}}}"#
    let found = try Self.check(local, .background, app: view)
    #expect(found == row.problems.map { "/payload" + $0 })
  }

  /// Texts of a Live Activity's alert, and what is found: pointer below `title`, code.
  @Test(
    arguments: [
      (#"{"loc-key": "PLAIN"}"#, []),
      (#"{"loc-key": "HI", "loc-args": ["Ann"]}"#, []),
      (#"{"loc-key": "NO"}"#, ["/loc-key loc_key_shown"]),
      (#"{"loc-key": "HI"}"#, ["/loc-key placeholder_shown"]),
      (#"{"loc-key": "WROTE", "loc-args": ["Ann"]}"#, ["/loc-key null_shown"]),
      (#"{"loc-key": "EMPTY"}"#, ["/loc-key alert_empty"]),
      (#"{"loc-key": ""}"#, ["/loc-key loc_key_empty"]),
      (#""Hi %@""#, [" placeholder_shown"]),
    ] as [(String, [String])])
  func theTextsOfAnActivityAreJudged(title: String, problems: [String]) throws {
    let payload = """
      {"aps":{"event":"update","timestamp":1,"content-state":{},\
      "alert":{"body":"x","title":\(title)}}}
      """
    let view = CatalogView(Self.catalog, for: tags("en"))
    let found = try Self.check(payload, .liveactivity, app: view)
    #expect(found == problems.map { "/title" + $0 })
  }

  @Test func withoutACatalogAKeyIsNotJudged() throws {
    #expect(
      try Self.check(#"{"aps":{"alert":{"loc-key":"K","title":"Hi %@"}}}"#, app: nil)
        == ["/title placeholder_shown", "/loc-key loc_key_unchecked?"])
  }

  /// Whatever the build has: nobody looks it up.
  @Test func aKeyOfACallIsNotShown() throws {
    let alert: JSONObject = ["loc-key": .string("PLAIN"), "title": .string("Ann")]
    let headers = RequestHeaders(
      bundleID: "com.example.shop", pushType: .voip, now: 1_700_000_000)
    let check = PayloadCheck(
      ["aps": .object(["alert": .object(alert)])], headers: headers,
      app: CatalogView(Self.catalog, for: tags("en")), envelopeKey: "payload")
    #expect(check.shown.title == "Ann" && check.shown.body == nil)
    #expect(check.problems.map(\.code) == ["voip_with_loc_key"])
  }

  @Test func aNullInTheDataIsANotice() throws {
    let payload = #"{"aps":{"alert":"x"},"a":null,"b":{"c":[1,{"d/e":null}],"f":null},"g":[]}"#
    #expect(
      try Self.check(payload, app: nil)
        == ["/payload/a null_in_data?", "/payload/b/c/1/d~1e null_in_data?"])
  }
}
