import ASCII
import Localization
import TestSupport
import Testing

@testable import CatalogFormats

/// What is wrong with a string catalog is said; what can be read is read.
@Suite struct StringCatalogFaultTests {
  @Test(arguments: [
    ("", "error 1:1 empty_file"), (" \n ", "error 2:2 malformed_json"),
    ("null", "error 1:1 not_a_dictionary"), ("[]", "error 1:1 not_a_dictionary"),
    (#"{"version": "1.0",}"#, "error 1:19 malformed_json"),
    ("{\n\"a\": 'b'}", "error 2:6 malformed_json"), ("{}", "error 1:1 missing_field"),
    (#"{"version": 1.0, "strings": {}}"#, "error 1:2 wrong_type"),
    (#"{"version": "2.0", "strings": {}}"#, "error 1:2 unsupported_version"),
    (#"{"version": "10.0", "strings": {}}"#, "error 1:2 unsupported_version"),
    (#"{"version": "1.0", "sourceLanguage": "en"}"#, "error 1:1 missing_field"),
    (
      #"{"version": "1.0", "sourceLanguage": "en", "strings": []}"#, "error 1:44 wrong_type"
    ),
    (#"{"version": "1.0", "strings": {"a": {}}}"#, "error 1:1 missing_field"),
    (#"{"version": "1.0", "sourceLanguage": 7, "strings": {}}"#, "error 1:20 wrong_type"),
    (#"{"version": "1.0", "sourceLanguage": "e n", "strings": {}}"#, "error 1:20 invalid_language"),
  ])
  func aFileThatIsNoCatalogIsAnError(text: String, expected: String) {
    #expect(readCatalog(text).lines == [expected])
    #expect(readCatalog(text).tables.allSatisfy { $0.entries.isEmpty })
  }

  @Test(arguments: [
    ("1", "error wrong_type"),
    (#"{"extractionState": 1}"#, "error wrong_type"),
    (#"{"localizations": []}"#, "error wrong_type"),
    (#"{"localizations": {"de": null}}"#, "error wrong_type"),
    (localized(#""stringUnit": "a""#), "error wrong_type"),
    (localized(#""stringUnit": {"state": 1, "value": "a"}"#), "error wrong_type"),
    (localized(#""stringUnit": {"value": ["a"]}"#), "error wrong_type"),
    (localized(#""stringUnit": {"state": "translated"}"#), "error missing_field"),
    (localized(#""stringUnit": {"value": "a\u0000"}"#), "error nul_character"),
    (localized(#""stringUnit": {"value": "%#@n@"}"#), "error undefined_variable"),
    (localized(#""variations": []"#), "error wrong_type"),
    (localized(#""variations": {"plural": "a"}"#), "error wrong_type"),
    (localized(#""variations": {"plural": {"one": "a"}}"#), "error wrong_type"),
    (localized(#""variations": {"device": [1]}"#), "error wrong_type"),
    (localized(#""variations": {"language": {"de": {}}}"#), "error unsupported_variation"),
    (
      localized(#""variations": {"plural": {"other": {"variations": {"device": {}}}}}"#),
      "error nested_in_plural"
    ),
    (
      localized(#""variations": {"device": {"mac": {"variations": {"device": {}}}}}"#),
      "error unsupported_variation"
    ),
    (
      localized(#""variations": {"device": {"other": {"variations": {"plural": {}}}}}"#),
      "error plural_in_other_device"
    ),
    (localized(#""stringSet": {"values": "a"}"#), "error wrong_type"),
    (localized(#""stringSet": {"values": [1]}"#), "error wrong_type"),
    (localized(#""substitutions": {"n": {}}"#), "error missing_field"),
    (substituted(#""formatSpecifier": "d""#, parent: ""), "error missing_format"),
    (substituted(""), "error missing_field"),
    (substituted(#""formatSpecifier": 1"#), "error wrong_type"),
    (substituted(#""formatSpecifier": "lld of""#), "error invalid_value"),
    (substituted(#""formatSpecifier": "d", "argNum": 0"#), "error invalid_value"),
    (substituted(#""formatSpecifier": "d", "argNum": 128"#), "error invalid_value"),
    (substituted(#""formatSpecifier": "d", "argNum": 1e15"#), "error invalid_value"),
    (substituted(#""formatSpecifier": "d", "argNum": "1""#), "error wrong_type"),
    (substituted(#""formatSpecifier": "d""#, parent: "%#@m@"), "error undefined_variable"),
    (substituted(#""formatSpecifier": "d""#, text: "%#@n@"), "error cyclic_variables"),
  ])
  func whatCannotBeMeantOrShownIsAnErrorAndLeftOut(entry: String, expected: String) {
    let contents = readCatalog(stringCatalog(#""a": {}, "KEY": \#(entry), "b": {}"#))
    #expect(contents.codes == [expected])
    #expect(contents.entries("KEY")["de"] == nil)
    #expect(contents.entries("a")["en"] == .text("a"))
    #expect(contents.entries("b")["en"] == .text("b"))
  }

  @Test(arguments: [
    (localized(#""stringSet": {"state": "x", "values": ["a", "b"]}"#), "several_texts"),
    (localized(#""stringUnit": {"value": "a"}"#) + #", "KEY": {}"#, "duplicate_key"),
    (#"{"localizations": {"de": {}, "de": \#(stringUnit("a"))}}"#, "duplicate_key"),
    (localized(#""variations": {"width": {"w": \#(stringUnit("a"))}}"#), "unknown_width"),
    (
      localized(
        #""stringUnit": {"value": "a"}, "#
          + #""variations": {"plural": {"other": \#(stringUnit("%d"))}}"#),
      "conflicting_variations"
    ),
    (
      localized(
        #""variations": {"plural": {"other": \#(stringUnit("%d"))}, "#
          + #""device": {"mac": \#(stringUnit("a"))}}"#), "conflicting_variations"
    ),
    (localized(#""variations": {"plural": {"all": {}}}"#), "unknown_category"),
    (
      localized(#""variations": {"device": {"tv": {}, "mac": \#(stringUnit("a"))}}"#),
      "unknown_device"
    ),
    (
      localized(#""variations": {"plural": {"other": \#(stringUnit("%@"))}}"#),
      "plural_without_number"
    ),
    (localized(#""variations": {"plural": {"one": \#(stringUnit("%d"))}}"#), "missing_other"),
    (substituted(#""formatSpecifier": "d""#, parent: "a"), "unreferenced_variable"),
  ])
  func whatIsDoubtfulIsAWarning(entry: String, expected: String) {
    #expect(readCatalog(entry: entry).codes == ["warning \(expected)"])
  }

  /// Xcode compiles a text beside variations that say nothing.
  @Test(arguments: [
    localized(#""stringUnit": {"value": "a"}, "variations": {}"#),
    localized(#""stringUnit": {"value": "a"}, "variations": {"plural": {}}"#),
    localized(#""stringUnit": {"value": "a"}, "variations": {"plural": null, "device": {}}"#),
    localized(#""variations": {"width": {"1": \#(stringUnit("b")), "9": \#(stringUnit("a"))}}"#),
  ])
  func aTextBesideNothingIsTheText(entry: String) {
    let contents = readCatalog(entry: entry)
    #expect(contents.codes.isEmpty)
    #expect(contents.entries("KEY")["de"]?.format(for: .other)?.text == "a")
  }

  @Test func textsOfNoLanguageAreCounted() {
    let contents = readCatalog(
      entry: localized(#""stringUnit": {"value": "a"}"#, language: "d e"))
    #expect(contents.codes == ["error invalid_language"])
    #expect(contents.entriesLeftOut == 1)
  }

  @Test func keysTextsLanguagesAndStatesHaveBounds() {
    let long = String(repeating: "x", count: 70_000)
    #expect(
      readCatalog(stringCatalog(#""\#(long)": {}, "k\u0000": {}"#)).codes == [
        "error limit_exceeded", "error nul_character",
      ])
    #expect(
      readCatalog(entry: localized(#""stringUnit": {"value": "\#(long)"}"#)).codes
        == ["error limit_exceeded"])
    #expect(
      readCatalog(entry: localized(unitFields(long))).codes == ["error limit_exceeded"])
    #expect(readCatalog(entry: localized(unitFields("\\u0000"))).codes == ["error nul_character"])
    let states = (0..<100).map { #""\#($0)": \#(localized(unitFields("s\($0)")))"# }
    let counts = readCatalog(stringCatalog(states.joined(separator: ","))).table("de")?.states
    #expect(counts?.count == 33)
    #expect(counts?["other"] == 68)
    let languages = (0..<600).map { #""de-x\#($0)": {}"# }.joined(separator: ",")
    let contents = readCatalog(entry: #"{"localizations": {\#(languages)}}"#)
    #expect(contents.tables.count == 512)
    #expect(contents.codes.count == 89)
  }

  @Test func diagnosticsAreBoundedErrorsFirst() {
    let tv = localized(#""variations": {"device": {"tv": {}}}"#)
    let doubtful = (0..<200).map { #""w\#($0)": \#(tv)"# }
    let wrong = (0..<20).map { #""e\#($0)": 1"# }
    let contents = readCatalog(stringCatalog((doubtful + wrong).joined(separator: ",")))
    #expect(contents.codes.count { $0 == "error wrong_type" } == 20)
    #expect(contents.codes.last == "warning more_diagnostics")
    #expect(contents.codes.count <= 121)
  }
}

/// An entry whose German localization has these fields.
private func localized(_ fields: String, language: String = "de") -> String {
  #"{"localizations": {"\#(language)": {\#(fields)}}}"#
}

private func unitFields(_ state: String) -> String {
  #""stringUnit": {"state": "\#(state)", "value": ""}"#
}

/// An entry whose German text is `parent`, with the substitution `n`.
private func substituted(
  _ fields: String, parent: String = "%#@n@", text: String = "%arg"
) -> String {
  let root = parent.isEmpty ? "" : #""stringUnit": {"value": "\#(parent)"}, "#
  let separator = fields.isEmpty ? "" : ", "
  return localized(
    """
    \(root)"substitutions": {"n": {\(fields)\(separator)"variations":
      {"plural": {"other": \(stringUnit(text))}}}}
    """)
}

extension FileContents {
  /// The diagnostics with their places.
  fileprivate var lines: [String] {
    diagnostics.map { "\($0.severity) \($0.line):\($0.column) \($0.code)" }
  }
}
