import Foundation
import PostilionClient
import Testing

@Suite struct NotificationStringsTests {
  static let strings = NotificationStrings {
    ["READY": "%@, ready at %@", "SWAPPED": "%2$@: %1$@", "PLAIN": "100%%"][$0]
  }

  @Test(
    arguments: [
      // Without a key the literal is shown as it is.
      ("100%% %@", nil, ["a"], "100%% %@"), (nil, nil, ["a"], ""), ("x", "", ["a"], "x"),
      // The text of the key; the literal if the key is missing; the key if there is neither.
      ("x", "READY", ["Zoé", "7"], "Zoé, ready at 7"), ("x", "MISSING", [], "x"),
      (nil, "MISSING", [], "MISSING"), ("", "MISSING", [], "MISSING"),
      // With arguments, whichever it is is filled.
      ("50%% of %@", "MISSING", ["a"], "50% of a"), (nil, "LEFT_%@", ["a"], "LEFT_a"),
      ("x", "PLAIN", [], "100%%"), ("x", "PLAIN", ["a"], "100%"),
      // Placeholders.
      ("x", "SWAPPED", ["a", "b"], "b: a"), ("x", "READY", ["a"], "a, ready at <null>"),
      ("x", "READY", ["a", "b", "c"], "a, ready at b"), ("x", "SWAPPED", ["a"], "<null>: a"),
      ("%0$@|%3$@|%99999999999999999999$@", "MISSING", ["a"], "<null>|<null>|<null>"),
      ("%2$@ %@ %@", "MISSING", ["a", "b"], "b a b"), ("%5d|%1$d|%1", "MISSING", ["a"], "d|$d|"),
      ("%d|%ld|%#@n@|%", "MISSING", ["a"], "|d|@n@|"), ("%é|%👩‍🚀", "MISSING", ["a"], "|\u{200D}🚀"),
      ("%%@ %%%@", "MISSING", ["a"], "%@ %a"), ("%@", "MISSING", ["%@ %%"], "%@ %%"),
    ] as [(String?, String?, [String], String)])
  func textsAreThoseOfADevice(
    literal: String?, key: String?, arguments: [String], shown: String
  ) {
    #expect(Self.strings.text(literal, key: key, arguments: arguments) == shown)
  }

  @Test func argumentsThatAreNoTextsKeepTheirPlaces() {
    let alert = RemotePayload.Alert([
      "loc-key": "A", "body": "%@|%@|%@|%@|%@|%@", "loc-args": [1, 1.5, true, nil, ["x"], "y"],
      "title-loc-key": "B", "title": "%@", "title-loc-args": "no list",
      "subtitle": "%@", "subtitle-loc-args": ["a"],
    ])
    let texts = Self.strings.texts(of: alert)
    #expect(texts.body == "1|1.5||||y")
    #expect(texts.title == "%@")
    #expect(texts.subtitle == "%@")
  }

  @Test func aBundleIsRead() throws {
    let directory = FileManager.default.temporaryDirectory
      .appendingPathComponent("strings-\(UUID().uuidString).bundle")
    defer { try? FileManager.default.removeItem(at: directory) }
    let folder = directory.appendingPathComponent("en.lproj")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    for (table, text) in [("Localizable", "Hello, %@"), ("Push", "Hi, %@")] {
      try Data(#""GREETING" = "\#(text)";"#.utf8)
        .write(to: folder.appendingPathComponent("\(table).strings"))
    }
    let bundle = try #require(Bundle(path: directory.path))
    for (strings, shown) in [
      (NotificationStrings(bundle: bundle), "Hello, Zoé"),
      (NotificationStrings(bundle: bundle, table: "Push"), "Hi, Zoé"),
      (NotificationStrings(bundle: bundle, table: "Missing"), "literal"),
    ] {
      #expect(strings.text("literal", key: "GREETING", arguments: ["Zoé"]) == shown)
      #expect(strings.text("literal", key: "MISSING") == "literal")
      #expect(strings.text(nil, key: "MISSING") == "MISSING")
    }
  }
}
