import ASCII
import Localization
import Testing

@testable import CatalogFormats

/// Plurals whose texts show no number: that of the key, or of the source language, chooses.
@Suite struct PluralArgumentTests {
  @Test(
    arguments: [
      // key, English, Galician, arguments → English, Galician
      ("%lld boats", ["Boat", "Boats"], ["Barco", "Barcos"], [.integer(1)], "Boat", "Barco"),
      ("%lld boats", ["Boat", "Boats"], ["Barco", "Barcos"], [.integer(2)], "Boats", "Barcos"),
      (
        "%@ has %lld boats", ["%@ has a boat", "%@ has boats"], ["Ten barco %@", "Ten barcos %@"],
        [.string("Ann"), .integer(1)], "Ann has a boat", "Ten barco Ann"
      ),
      (
        "%@ has %lld boats", ["%@ has a boat", "%@ has boats"], ["Ten barco %@", "Ten barcos %@"],
        [.string("Ann"), .integer(3)], "Ann has boats", "Ten barcos Ann"
      ),
      (
        "%2$lld boats of %1$@", ["A boat", "Boats"], ["Barco", "Barcos"],
        [.string("7"), .integer(1)], "A boat", "Barco"
      ),
      // The source language shows what the key does not.
      (
        "BOATS", ["%@ has a boat", "%@ has %lld boats"], ["Barco de %@", "Barcos de %@"],
        [.string("Ann"), .integer(1)], "Ann has a boat", "Barco de Ann"
      ),
      // Nothing shows it: it is the argument that is no text.
      (
        "BOATS", ["%@ has a boat", "%@ has boats"], ["Barco de %@", "Barcos de %@"],
        [.string("Ann"), .integer(1)], "Ann has a boat", "Barco de Ann"
      ),
      // They show it as a value.
      (
        "MILES", ["%@ mile", "%@ miles"], ["%@ milla", "%@ millas"], [.integer(1)], "1 mile",
        "1 milla"
      ),
      (
        "MILES", ["%@ mile", "%@ miles"], ["%@ milla", "%@ millas"], [.string("1")], "1 mile",
        "1 milla"
      ),
      (
        "MILES", ["%@ mile", "%@ miles"], ["%@ milla", "%@ millas"], [.string("2")], "2 miles",
        "2 millas"
      ),
      (
        "%@ miles", ["%@ mile", "%@ miles"], ["milla", "%@ millas"],
        [.decimal(1, text: "1", fractionDigits: 0)], "1 mile", "milla"
      ),
      (
        "OF", ["%1$@ of %2$@ mile", "%1$@ of %2$@ miles"], ["%2$@ milla", "%2$@ millas"],
        [.string("Ann"), .integer(1)], "Ann of 1 mile", "1 milla"
      ),
      (
        "HIS", ["%@ has a boat", "%@ has boats"], ["Barco de %@", "Barcos de %@"],
        [.string("7"), .integer(1)], "7 has a boat", "Barco de 7"
      ),
      // One hour, but 1.0 hours.
      (
        "%.1f hours", ["Hour", "Hours"], ["Hora", "Horas"],
        [.decimal(1, text: "1", fractionDigits: nil)], "Hours", "Horas"
      ),
      (
        "%.0f hours", ["Hour", "Hours"], ["Hora", "Horas"],
        [.decimal(1.2, text: "1.2", fractionDigits: nil)], "Hour", "Hora"
      ),
    ] as [(String, [String], [String], [ArgumentValue], String, String)])
  func theArgumentOfThePluralChooses(
    key: String, english: [String], galician: [String], arguments: [ArgumentValue], one: String,
    other: String
  ) {
    let expected = ["en": one, "gl": other]
    for contents in [
      readCatalog(catalog(key, english, galician)),
      // The source language comes last in the file.
      readCatalog(catalog(key, english, galician, sourceFirst: false)),
      readCatalog(catalog(key, english, galician, within: ["device", "iphone"])),
      exchange(key, english, galician),
    ] {
      #expect(contents.diagnostics.allSatisfy { $0.severity == .warning })
      for (language, entry) in contents.entries(key) {
        let formatter = ServerFormatter(
          locale: language, rules: PluralRules(localization: language))
        guard let format = entry.format(for: .iphone) else { continue }
        #expect(
          formatter.format(format, arguments: arguments).text == expected[language],
          "\(key) in \(language)")
      }
      #expect(contents.entries(key).count == 2)
    }
  }

  /// A substitution knows its argument, in XLIFF by the source text alone.
  @Test func aSubstitutionWithoutANumberChoosesByItsArgument() {
    let key = "%@ has %lld boats"
    let units = [
      unit(key, "%1$@ %#@n@", "%1$@ %#@n@"),
      unit(key + "|==|substitutions.n.plural.one", "has %2$lld boat", "ten barco"),
      unit(key + "|==|substitutions.n.plural.other", "has %2$lld boats", "ten barcos"),
    ]
    let contents = xliff(units.joined())
    guard case .plural(let format)? = contents.entries(key)["gl"] else {
      Issue.record("no plural")
      return
    }
    #expect(format.variables["n"]?.argument == 2)
    #expect(format.variables["n"]?.specifier == "lld")
  }

  private func catalog(
    _ key: String, _ english: [String], _ galician: [String], within path: [String] = [],
    sourceFirst: Bool = true
  ) -> String {
    let localizations = [("en", english), ("gl", galician)].map { language, texts in
      var variations =
        #"{"variations": {"plural": {"one": \#(stringUnit(texts[0])), "#
        + #""other": \#(stringUnit(texts[1]))}}}"#
      if path.count == 2 {
        variations = #"{"variations": {"\#(path[0])": {"\#(path[1])": \#(variations)}}}"#
      }
      return #""\#(language)": \#(variations)"#
    }
    let ordered = sourceFirst ? localizations : localizations.reversed()
    return stringCatalog(
      #""\#(key)": {"localizations": {\#(ordered.joined(separator: ", "))}}"#)
  }

  private func exchange(
    _ key: String, _ english: [String], _ galician: [String]
  ) -> FileContents {
    xliff(
      unit(key + "|==|plural.one", english[0], galician[0])
        + unit(key + "|==|plural.other", english[1], galician[1]))
  }

  private func unit(_ id: String, _ source: String, _ target: String) -> String {
    "<trans-unit id='\(id)'><source>\(source)</source><target>\(target)</target></trans-unit>\n"
  }

  private func xliff(_ units: String) -> FileContents {
    let text = """
      <xliff version="1.2">
      <file original="Localizable.xcstrings" source-language="en" target-language="gl"><body>
      \(units)</body></file></xliff>
      """
    return XLIFFReader.read(
      SourceFile(path: "gl.xliff", bytes: Array(text.utf8)), recordsPlaces: false)
  }
}
