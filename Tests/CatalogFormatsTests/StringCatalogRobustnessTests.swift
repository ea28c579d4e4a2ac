import ASCII
import Localization
import TestSupport
import Testing

@testable import CatalogFormats

/// No bytes crash or hang the reader.
@Suite struct StringCatalogRobustnessTests {
  private static let sample = stringCatalog(
    """
    "a %@": {"extractionState": "manual", "localizations": {
      "en": \(stringUnit("é %@")), "de": {"variations": {"plural": {
        "one": \(stringUnit("%lld Ding")), "other": \(stringUnit("%lld Dinge"))}}},
      "fr": {"stringUnit": {"state": "new", "value": "%#@n@"}, "substitutions": {"n": {
        "argNum": 1, "formatSpecifier": "lld", "variations": {"plural": {
          "other": \(stringUnit("%arg 😀"))}}}}},
      "nb": {"variations": {"device": {"mac": \(stringUnit("\\u00e5")),
        "other": \(stringUnit("o"))}}}}},
    "b": {}
    """)

  /// A text for each device, up to the variables that all of them refer to.
  private static let devices =
    #"{"localizations": {"de": {"variations": {"device": {"#
    + DeviceClass.allCases.map { #""\#($0)": \#(stringUnit("%#@n0@"))"# }.joined(separator: ",")
    + #"}}, "substitutions": {"m": \#(variable("%arg")),"#

  private static func variable(_ text: String) -> String {
    #"{"formatSpecifier": "d", "variations": {"plural": {"other": \#(stringUnit(text))}}}"#
  }

  @Test func aFileThatEndsTooSoonIsAnError() {
    let bytes = Array(Self.sample.utf8)
    #expect(readCatalog(bytes).codes == [])
    for count in bytes.indices {
      let contents = readCatalog(Array(bytes[..<count]))
      #expect(contents.tables.isEmpty)
      #expect(contents.diagnostics.map(\.severity) == [.error], "\(count)")
    }
  }

  @Test func damagedBytesAreReadOrRefused() {
    var random = SplitMix64(seed: 0x5C)
    let sample = Array(Self.sample.utf8)
    let marks = Array(#"{}[]":,\%#@n0 "#.utf8)
    for _ in 0..<2_000 {
      var bytes = sample
      for _ in 0...Int.random(in: 0..<3, using: &random) {
        let place = Int.random(in: bytes.indices, using: &random)
        bytes[place] = marks.randomElement(using: &random) ?? 0
      }
      _ = readCatalog(bytes)
    }
  }

  /// Parts of the format in places where they do not belong.
  @Test func anyFieldAnywhereIsReadOrRefused() {
    var random = SplitMix64(seed: 0xCA7)
    let names = [
      "localizations", "stringUnit", "variations", "plural", "device", "substitutions", "stringSet",
      "de", "one", "other", "mac", "n", "value", "state", "formatSpecifier", "argNum", "values",
    ]
    let scalars = ["1", "null", "true", #""new""#, #""lld""#, #""%#@n@""#, #""%2$lld""#, #""%""#]
    func value(_ depth: Int) -> String {
      switch Int.random(in: 0..<8, using: &random) {
      case 0: return scalars.randomElement(using: &random) ?? ""
      case 1: return "[" + (depth > 0 ? value(depth - 1) : "") + "]"
      default:
        guard depth > 0 else { return scalars.randomElement(using: &random) ?? "" }
        let members = (0..<Int.random(in: 0..<4, using: &random)).map { _ in
          #""\#(names.randomElement(using: &random) ?? "")": \#(value(depth - 1))"#
        }
        return "{" + members.joined(separator: ",") + "}"
      }
    }
    for _ in 0..<1_000 {
      let contents = readCatalog(
        entry: #"{"localizations": {"de": \#(value(6)), "fr": \#(value(5))}}"#)
      #expect(contents.entries("KEY")["en"] == .text("KEY"))
    }
  }

  @Test(arguments: ["[", #"{"a":"#, #"{"strings":{"a":{"localizations":{"de":{"variations":"#])
  func deepNestingIsRefused(opening: String) {
    let contents = readCatalog(String(repeating: opening, count: 100_000))
    #expect(contents.codes == ["error limit_exceeded"])
  }

  @Test(
    .timeLimit(.minutes(10)),
    arguments: [
      ("", "", #""%d": {}"#), ("", "", #""a": {}"#), ("", "", #""%d": 1"#),
      ("", "", #""%d": [[]]"#),
      (#""k": {"localizations": {"#, "}}", #""a%d": {}"#),
      (#""k": {"localizations": {"#, "}}", #""de": {"stringUnit": {"value": "%d"}}"#),
      (#""k": {"localizations": {"de": {"#, "}}}", #""stringUnit": {"value": "%d"}"#),
      (
        #""k": {"localizations": {"de": {"variations": {"plural": {"#, "}}}}}",
        #""other": {"stringUnit": {"value": "%d"}}"#
      ),
      (#""k": {"localizations": {"de": {"variations": {"#, "}}}}", #""width%d": {}"#),
      (
        #""k": {"localizations": {"de": {"stringUnit": {"value": "a"}, "substitutions": {"#, "}}}}",
        #""n%d": {"formatSpecifier": "d", "variations": {"plural": {}}}"#
      ),
      (#""k": {"localizations": {"de": {"stringUnit": {"value": ""#, #""}}}}"#, "%#@n@"),
      (
        #""k": \#(devices)"#, "}}}}",
        #""n%d": \#(variable(String(repeating: "%arg %#@m@ ", count: 500)))"#
      ),
      (#""k": {"localizations": {"de": {"stringUnit": {"state": ["#, "]}}}}", "[0]"),
    ]
  )
  func aQuarterOfAMegabyteOfOneThingTakesNoQuadraticTime(
    before: String, after: String, part: String
  ) {
    func catalog(of bytes: Int) -> String {
      var parts: [String] = []
      var count = 0
      while count < bytes {
        let next = part.replacing("%d", with: String(parts.count))
        parts.append(next)
        count += next.utf8.count + 1
      }
      return stringCatalog(before + parts.joined(separator: ",") + after)
    }
    let growth = Growth.ofWork(on: catalog(of: 1 << 16), and: catalog(of: 1 << 18)) { text in
      #expect(readCatalog(text).diagnostics.count <= 2 * Limits.fileDiagnostics + 1)
    }
    #expect(growth < Growth.limit)
  }
}
