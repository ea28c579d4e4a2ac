import ASCII
import Localization
import Testing

@testable import CatalogFormats

@Suite struct CatalogLintTests {
  @Test(arguments: [
    ("%1$@ %2$@", "%1$@", "argument_missing"),
    ("%@ %@", "%@", "argument_missing"),
    ("%@", "Nichts", "argument_missing"),
    ("%@", "", ""),
    ("", "%@", ""),
    ("%1$@", "%1$@ %2$@", "argument_unknown"),
    ("Nothing", "%@", "argument_unknown"),
    ("%1$@ %2$@", "%2$@ %1$@", ""),
    ("%@ %@", "%2$@ %1$@", ""),
    ("%1$@ %2$@", "%1$@ %1$@ %2$@", ""),
    ("%@ 100%%", "%@ 100%%", ""),
    ("%*d", "%d", "argument_missing"),
  ])
  func bothTextsShowTheSameArguments(reference: String, text: String, codes: String) {
    expect(.text(reference), .text(text), codes)
  }

  @Test(arguments: [
    ("%d", "%@", "argument_type_mismatch"),
    ("%d", "%.1f", "argument_type_mismatch"),
    ("%@", "%lld", "argument_type_mismatch"),
    ("%1$@ %2$d", "%1$d %2$@", "argument_type_mismatch argument_type_mismatch"),
    ("%@", "%1$@ %1$d", "argument_type_mismatch"),
    ("%1$@ %1$d", "%1$d %1$@", ""),
    ("%d", "%ld", ""),
    ("%lld", "%u", ""),
    ("%x", "%i", ""),
    ("%f", "%.2f", ""),
    ("%f", "%g", ""),
  ])
  func anArgumentIsTheSameKindOfThingEverywhere(
    reference: String, text: String, codes: String
  ) {
    expect(.text(reference), .text(text), codes)
  }

  @Test(arguments: [
    ("%@ %2$@", "mixed_positions"),
    ("%1$*d", "mixed_positions"),
    ("%2$*1$d", ""),
    ("%1$@ %2$@ %%", ""),
    ("%1$@ %3$@", "skipped_position"),
    ("%2$@", "skipped_position"),
    ("%2$@ %1$@", ""),
    ("%4096$@", "skipped_position"),
    ("%s", "unsupported_specifier"),
    ("%p and %n", "unsupported_specifier"),
    ("%C", "unsupported_specifier"),
    ("50% off for %@", "unescaped_percent"),
    ("%@ has 100%", "unescaped_percent"),
    ("%@: 5 %y", "unescaped_percent"),
    ("%@: 50 % de", "unescaped_percent"),
    ("%@ %d % de", "unescaped_percent"),
    ("%@, 50\u{A0}% de", "unescaped_percent"),
    ("%@, %5 inch", "unescaped_percent"),
    ("%@, 50%-ige", "unescaped_percent"),
    ("%@, %-os", "unescaped_percent"),
    ("%-8d and %+.1f and %-8x", ""),
    ("%@ (% d)", ""),
    ("% @", "spaced_placeholder"),
    ("%@ and %2$ @", "mixed_positions spaced_placeholder"),
    ("%@: 50% off, % @", "spaced_placeholder unescaped_percent"),
    ("%-@ and %5@", ""),
    ("^[%lld boats](inflect: true)", "inline_markup"),
    ("^[Welcome](inflect: true)", "inline_markup"),
    ("^[%@](inflect: true, inflectionAlternative: '5% of %s')", "inline_markup"),
    ("x^[2](see %@)", ""),
    ("%@ 50%% %d", ""),
    ("50% off", ""),
    ("100%", ""),
    ("100%%", ""),
  ])
  func placeholdersAreOnesThatWorkInTheReferenceToo(text: String, codes: String) {
    expect(.text(text), nil, codes)
  }

  @Test(arguments: [
    ("%1$@ %3$@", "%1$@ %3$@", ""),
    ("%1$@ %2$@", "%2$@", "argument_missing"),
    ("%@", "%1$@ %3$@", "argument_unknown skipped_position"),
    ("%s", "%s", ""),
    ("%@ %2$@", "%2$@ %@", ""),
    ("%@ %d", "%@ (% d)", ""),
    ("%@", "% @", "spaced_placeholder"),
    ("% @", "% @", ""),
    ("%@ %@", "% @", "argument_missing spaced_placeholder"),
    ("%@", "%s", "unsupported_specifier"),
    ("%@ 50%% off", "%@ 50 % de", "unescaped_percent"),
    ("Off by %@", "50% off", "argument_missing unescaped_percent"),
  ])
  func aFaultOfTheReferenceIsToldOnceANewOneWhereItIs(
    reference: String, text: String, codes: String
  ) {
    expect(.text(reference), .text(text), codes)
  }

  @Test(arguments: [
    ("en", "d", "one other", ""),
    ("en", "d", "other", "missing_plural_category"),
    ("en", "d", "zero one other", ""),
    ("en", "d", "one two other", "unreachable_plural_category"),
    ("pl", "d", "one few many other", ""),
    ("pl", "d", "one other", "missing_plural_category"),
    ("ja", "d", "other", ""),
    ("ja", "d", "one other", "unreachable_plural_category"),
    ("ar", "d", "one two few many other", "missing_plural_category"),
    ("fr", "d", "one other", "missing_plural_category"),
    ("fr", "d", "one many other", ""),
    // Czech has `many` for fractions only.
    ("cs", "lld", "one few other", ""),
    ("cs", "d", "one few many other", ""),
    ("cs", "f", "one few other", "missing_plural_category"),
    ("cs", "@", "one few other", "missing_plural_category"),
    ("pt-PT", "d", "one many other", ""),
    ("zh_Hans", "d", "other", ""),
  ])
  func aVariableHasTheCategoriesOfItsLanguage(
    language: String, specifier: String, categories: String, codes: String
  ) {
    let cases = categories.split(separator: " ").compactMap {
      PluralCategory(rawValue: String($0)).map { ($0, "%\(specifier)") }
    }
    let variable = PluralVariable(
      specifier: specifier, cases: Dictionary(uniqueKeysWithValues: cases))
    expect(.plural(PluralFormat("%#@n@", variables: ["n": variable])), nil, codes, in: language)
  }

  @Test func aCaseMayLeaveOutItsOwnNumber() {
    expect(.text("%d messages"), messages(one: "One message"), "")
    expect(messages(one: "One message"), messages(one: "%d Nachricht"), "")
    expect(messages(one: "One message"), messages(other: "Viele"), "")
  }

  @Test func theVariablesTypeIsThatOfItsArgument() {
    expect(messages(), .text("%@ Nachrichten"), "argument_type_mismatch plural_mismatch")
    expect(messages(specifier: "@", other: "%@"), messages(other: "%d"), "")
    expect(.text("%@"), messages(specifier: "@", other: "%@"), "")
    expect(messages(), messages(specifier: "f", other: "%f"), "argument_type_mismatch")
  }

  @Test func aTextVariesByNumberInEveryLanguageThatHasPlurals() {
    expect(messages(), .text("%d Nachrichten"), "plural_mismatch")
    expect(messages(), .text("%d件"), "", in: "ja")
    expect(messages(), .text("Nachrichten"), "argument_missing")
    expect(.text("Messages"), messages(), "argument_unknown")
    // It varies by the number and does not show it.
    let choosing = PluralVariable(specifier: "d", cases: [.one: "starred it", .other: "starred"])
    let starred = Entry.plural(PluralFormat("%#@n@", variables: ["n": choosing]))
    expect(.text("starred"), starred, "")
    expect(starred, .text("starred"), "")
    expect(.text("%d messages"), messages(), "")
  }

  @Test func nobodyIsToldToEscapeThePercentSignOfAPlaceholder() {
    for text in ["% @", "%  @", "% #@n@", "%1$ @", "%@, % @"] {
      var lint = CatalogLint([table("en", .text(text))], developmentLanguage: "en")
      let messages = lint.diagnostics(limit: 10).map(\.message)
      #expect(messages.contains { $0.contains("a space within a placeholder") })
      #expect(!messages.contains { $0.contains("%%") })
    }
  }

  @Test func percentSignsInCasesCountAndLeaveTheArgumentsAlone() {
    expect(messages(other: "%d% of"), nil, "unescaped_percent", in: "en")
    expect(messages(), messages(other: "100 % de %d"), "unescaped_percent")
  }

  @Test func theNumberOfACaseNeedsNoPositionBesideOtherArguments() {
    // A variable that shows nothing moves on to the second argument, whatever the first is.
    let nothing = PluralVariable(specifier: "d", cases: [.one: "", .other: ""])
    func followers(_ other: String) -> Entry {
      let count = PluralVariable(specifier: "d", cases: [.one: "%1$@", .other: other])
      return .plural(
        PluralFormat("%#@name@%#@count@", variables: ["name": nothing, "count": count]))
    }
    expect(followers("%1$@ and %d more"), nil, "", in: "en")
    expect(followers("%1$@ and %d %d more"), nil, "mixed_positions", in: "en")
    expect(followers("%1$@ and %d more"), followers("%1$@ und %2$d"), "")
  }

  @Test func theFirstEntryTellsOfCategoriesThatAWholeFileLacks() {
    let contents = FileTable(
      localization: "pl", name: "Localizable", origin: .stringsDictionary,
      entries: ["a": messages(), "b": messages(), "c": messages(one: "jedna")],
      places: ["b": Place(line: 1, column: 1), "a": Place(line: 2, column: 5)])
    var lint = CatalogLint(
      [CatalogLint.Table(file: "pl", contents: contents)], developmentLanguage: "en")
    #expect(
      lint.diagnostics(limit: 1).map(\.message) == [
        "'b' in pl has no text of 'n' for few (2), many (0): 'other' stands in. "
          + "Such texts in this file besides: 2."
      ])
  }

  @Test func aTextForOtherDevicesIsUnreachableBesideOneForEach() {
    let format = PluralFormat("a")
    let all = Dictionary(uniqueKeysWithValues: DeviceClass.allCases.map { ($0, format) })
    expect(.devices(all), nil, "unreachable_variant")
    expect(.devices(all.filter { $0.key != .ipod }), nil, "")
    expect(.devices([.iphone: format]), nil, "")
    expect(.widths([1: format, 20: PluralFormat("long")]), nil, "")
  }

  @Test func entriesWithManyOrDeeplyNestedPlaceholdersAreNotCompared() {
    let references = String(repeating: "%#@n@", count: 9)
    let many = messages(format: references)
    expect(many, .text("%@ %@ %@"), "")
    let nested = PluralFormat(
      "%#@a@",
      variables: [
        "a": variable("%#@b@"), "b": variable("%#@c@"), "c": variable("%d"),
      ])
    expect(.plural(nested), .text("Nichts"), "")
    expect(.text(String(repeating: "%d", count: 65)), .text("Nichts"), "")
    expect(.text(String(repeating: "%d", count: 64)), .text("Nichts"), "argument_missing")
  }

  @Test func theImportSaysWhereAndOnlyWhenAsked() {
    let files = [
      file("en.lproj/A.strings", "a = \"%@ %@\";\nb = \"%d\";\n"),
      file("de.lproj/A.strings", "/* ü */ a = \"%@\";\n\n  b = \"%@\";\n"),
    ]
    let plain = CatalogImporter.read(files, developmentLanguage: "en", lints: false)
    #expect(plain.diagnostics.isEmpty)
    let result = CatalogImporter.read(files, developmentLanguage: "en", lints: true)
    #expect(!result.hasErrors)
    #expect(result.tables == plain.tables)
    #expect(
      result.diagnostics == [
        Diagnostic(
          file: "de.lproj/A.strings", line: 1, column: 9, severity: .warning,
          code: .argumentMissing,
          message: "'a' in de does not show argument 2, but its text in en does."),
        Diagnostic(
          file: "de.lproj/A.strings", line: 3, column: 3, severity: .warning,
          code: .argumentTypeMismatch, message: "'b' in de shows argument 1 as %@, in en as %d."),
      ])
  }

  @Test(arguments: [
    // Of a key that is there twice the last place counts.
    (["en.lproj/A": "a = \"%@\";", "fr.lproj/A": "a = \"%@\";\na = b;"], ["fr.lproj/A:2"]),
    // Base stands for the development language unless that has the table itself.
    (["Base.lproj/A": "a = \"%@\";", "ar.lproj/A": "a = b;"], ["ar.lproj/A:1"]),
    (["English.lproj/A": "a = \"%@\";", "ar.lproj/A": "a = b;"], ["ar.lproj/A:1"]),
    (["Base.lproj/A": "a = \"%@\";", "en.lproj/A": "a = b;", "fr.lproj/A": "a = b;"], []),
    (["Base.lproj/A": "a = \"%@\";", "en.lproj/B": "a = b;", "fr.lproj/B": "a = b;"], []),
    // Without a text in the development language the first language is the reference.
    (["en.lproj/A": "", "ar.lproj/A": "a = \"%@\";", "fr.lproj/A": "a = b;"], ["fr.lproj/A:1"]),
    // The entries of a second file of the same table are not shown, hence not compared.
    (["fr.lproj/A": "a = b;", "pods/fr.lproj/A": "a = \"%s\";"], []),
  ])
  func entriesAreComparedThatAreShown(texts: [String: String], places: [String]) {
    let files = texts.sorted { $0.key < $1.key }.map { file("\($0.key).strings", $0.value) }
    let diagnostics = CatalogImporter.read(files, developmentLanguage: "en", lints: true)
      .diagnostics.filter { !["duplicate_key", "duplicate_file", "empty_file"].contains($0.code) }
    #expect(diagnostics.map { "\($0.file.dropLast(".strings".count)):\($0.line)" } == places)
  }

  @Test func noMoreThanAHundredWarningsOfOneFileAreTold() {
    let text = (0..<150).map { "k\($0) = \"%s\";\n" }.joined()
    let result = CatalogImporter.read(
      [file("en.lproj/A.strings", text)], developmentLanguage: "en", lints: true)
    #expect(result.diagnostics.count == 101)
    #expect(result.diagnostics.prefix(100).map(\.line) == Array(1...100))
    #expect(result.diagnostics.last?.code == "more_diagnostics")
    #expect(result.diagnostics.last?.message == "50 more warnings about the texts of this file.")
  }

  private func file(_ path: String, _ text: String) -> SourceFile {
    SourceFile(path: path, bytes: Array(text.utf8))
  }

  private func variable(_ text: String) -> PluralVariable {
    PluralVariable(specifier: "d", cases: [.one: text, .other: text])
  }

  private func messages(
    format: String = "%#@n@", specifier: String = "d", one: String = "%1$@", other: String = "%d"
  ) -> Entry {
    let own = one == "%1$@" ? other : one
    let variable = PluralVariable(specifier: specifier, cases: [.one: own, .other: other])
    return .plural(PluralFormat(format, variables: ["n": variable]))
  }

  /// Holds what is said of a translation, or of the reference when it stands alone, to `codes`.
  private func expect(
    _ reference: Entry, _ translation: Entry?, _ codes: String, in language: String = "de",
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    var tables = [table(translation == nil ? language : "en", reference)]
    if let translation { tables.append(table(language, translation)) }
    var lint = CatalogLint(tables, developmentLanguage: "en")
    let found = lint.diagnostics(limit: 10).filter { $0.file == language }.map(\.code)
    #expect(found.joined(separator: " ") == codes, sourceLocation: sourceLocation)
  }

  private func table(_ language: String, _ entry: Entry) -> CatalogLint.Table {
    CatalogLint.Table(
      file: language,
      contents: FileTable(
        localization: language, name: "Localizable", origin: .strings, entries: ["key": entry]))
  }
}
