import ASCII
import Localization
import Testing

@testable import CatalogFormats

/// What becomes of a text by its language, its state and the state of its entry.
///
/// Xcode ships what the source language says, for there is nothing to translate. Of the others it
/// leaves out what it has only taken over from the code: texts in state `new` of an entry without
/// `extractionState`. All other states are a translator's notes to self. Source: docs/apple.md 5.3.
@Suite struct StringCatalogStateTests {
  enum Presence {
    /// It is shown, and a device shows the same.
    case there
    /// It is shown, but what a device does is not certain.
    case uncertain
    /// It is as if it was not there.
    case gone
  }

  struct Row: Sendable, CustomTestStringConvertible {
    var state: String?
    var extraction: String?
    var source = Presence.there
    var other = Presence.there
    var testDescription: String { "\(state ?? "-") in \(extraction ?? "-")" }

    var unit: String { unit("%lld") }

    func unit(_ text: String) -> String {
      let state = state.map { #""state": "\#($0)", "# } ?? ""
      return #"{"stringUnit": {\#(state)"value": "\#(text)"}}"#
    }

    /// What a catalog makes of a key with this localization in the source and another language.
    func read(_ localization: String) -> FileContents {
      let extraction = extraction.map { #""extractionState": "\#($0)", "# } ?? ""
      return readCatalog(
        entry: """
          {\(extraction)"localizations": {
            "en": \(localization),
            "de": \(localization)}}
          """)
    }
  }

  static let extractions = ["manual", "migrated", "extracted_with_value", "stale", "of tomorrow"]
  static let others = [
    "translated", "needs_review", "stale", "machine_translated", "of tomorrow", nil,
  ]

  static let rows =
    [Row(state: "new", source: .uncertain, other: .gone)]
    + extractions.map { Row(state: "new", extraction: $0) }
    + others.flatMap { state in
      ([nil] + extractions).map { Row(state: state, extraction: $0) }
    }

  @Test(arguments: rows)
  func theStateDecidesWhetherATextIsTaken(row: Row) {
    let contents = row.read(row.unit("Text"))
    #expect(contents.entries("KEY")["en"] == .text("Text"))
    #expect(contents.entries("KEY")["de"] == (row.other == .gone ? nil : .text("Text")))
    #expect(contents.table("en")?.uncertain == (row.source == .uncertain ? ["KEY"] : []))
    #expect(contents.table("de")?.uncertain == [])
    #expect(contents.table("de")?.states == (row.state.map { [$0: 1] } ?? [:]))
    #expect(contents.codes == [])
  }

  @Test(arguments: rows)
  func theStateDecidesWhetherAnotherStandsInForAPart(row: Row) {
    let whole = stringUnit("%lld")
    for localization in [
      #"{"variations": {"plural": {"one": \#(row.unit), "other": \#(whole)}}}"#,
      #"{"variations": {"device": {"mac": \#(row.unit), "other": \#(whole)}}}"#,
    ] {
      let contents = row.read(localization.replacing("\n", with: " "))
      let parts = contents.entries("KEY").mapValues(\.parts)
      #expect(parts == ["en": 2, "de": row.other == .gone ? 1 : 2], "\(localization)")
      #expect(contents.table("en")?.uncertain == (row.source == .uncertain ? ["KEY"] : []))
      #expect(contents.codes == [])
    }
  }

  @Test(arguments: rows)
  func theStateDecidesWhetherAPartStandsInForOthers(row: Row) {
    let whole = stringUnit("%lld")
    let plural = #"{"plural": {"one": \#(whole), "other": \#(row.unit)}}"#
    let newPlural = #"{"plural": {"other": \#(row.unit)}}"#
    for localization in [
      #"{"variations": \#(plural)}"#,
      #"{"variations": {"device": {"mac": \#(whole), "other": \#(row.unit)}}}"#,
      #"{"variations": {"device": {"mac": \#(whole), "iphone": \#(row.unit)}}}"#,
      #"{"variations": {"device": {"mac": {"variations": \#(plural)}, "other": \#(whole)}}}"#,
      """
      {"stringUnit": {"state": "translated", "value": "%#@n@"}, "substitutions":
        {"n": {"formatSpecifier": "lld", "variations": \(plural)}}}
      """,
      """
      {"stringUnit": {"state": "translated", "value": "%#@n@"}, "substitutions":
        {"n": {"formatSpecifier": "lld", "variations": \(newPlural)}}}
      """,
    ] {
      let contents = row.read(localization.replacing("\n", with: " "))
      #expect(contents.entries("KEY")["en"] != nil)
      #expect((contents.entries("KEY")["de"] == nil) == (row.other == .gone), "\(localization)")
      #expect(contents.table("de")?.uncertain == (row.other == .gone ? ["KEY"] : []))
      #expect(
        contents.diagnostics.map(\.summary)
          == (row.other == .gone ? ["warning incomplete_translation 3:3"] : []))
    }
  }

  @Test func aSourceWithoutAValueIsTheKey() {
    let contents = readCatalog(
      entry: #"{"localizations": {"en": {"stringUnit": {"state": "new"}}}}"#)
    #expect(contents.entries("KEY") == ["en": .text("KEY")])
    #expect(contents.codes == [])
  }

  /// A table of nothing but parts is one that the bundle may have.
  @Test func aLanguageOfUncertainTextsAloneCounts() {
    let part =
      #"{"variations": {"plural": {"one": \#(stringUnit("%lld")), "#
      + #""other": \#(stringUnit(state: "new", "%lld"))}}}"#
    let new = stringUnit(state: "new", "x")
    let text = stringCatalog(
      #""a": {"localizations": {"de": \#(part)}}, "b": {"localizations": {"fr": \#(new)}}"#)
    func languages(_ files: [(String, String)]) -> [StringTable] {
      CatalogImporter.read(
        files.map { SourceFile(path: $0.0, bytes: Array($0.1.utf8)) }, developmentLanguage: "en"
      ).tables
    }
    let tables = languages([("T.xcstrings", text)])
    #expect(tables.map(\.localization) == ["en", "de"])
    #expect(tables.map(\.uncertain) == [[], ["a"]])
    // What another file says for certain is certain.
    let settled = languages([("T.xcstrings", text), ("de.lproj/T.strings", #""a" = "A";"#)])
    #expect(settled.map(\.uncertain) == [[], []])
  }
}

extension Entry {
  /// How many texts it has.
  fileprivate var parts: Int {
    switch self {
    case .text: 1
    case .plural(let format): format.variables.values.reduce(0) { $0 + $1.cases.count }
    case .devices(let formats): formats.count
    case .widths(let formats): formats.count
    }
  }
}
