import Localization
import Testing

@Suite struct LocArgsFormatterTests {
  @Test(arguments: [
    ("%@ and %@", ["A", "B"], "A and B"),
    ("%2$@ before %1$@", ["A", "B"], "B before A"),
    ("%1$@ %@ %@", ["A", "B"], "A A B"),
    ("100%%", ["A"], "100%"),
    ("100%% of %@", [], "100%% of %@"),
    ("%@ %@", ["A"], "A <null>"),
    ("%0$@ %3$@ %99999999999999999999$@", ["A"], "<null> <null> <null>"),
    ("%5d", ["A"], "d"),
    ("%1$d", ["A"], "$d"),
    ("%2$ld", ["A"], "$ld"),
    ("[%d]", ["A"], "[]"),
    ("%ld", ["A"], "d"),
    ("%#@n@", ["A"], "@n@"),
    ("50% of %@", ["A"], "50of A"),
    ("end %", ["A"], "end "),
    ("%12", ["A"], ""),
    ("%1$", ["A"], "$"),
    ("%😀%é!%@", ["A"], "!A"),
    ("%@", ["%@ %%"], "%@ %%"),
    ("%@", ["A", "B", "C"], "A"),
    ("العُضو %@: * %@", ["A", "B"], "العُضو A: * B"),
    ("", ["A"], ""),
  ])
  func `Texts come out as on the device`(text: String, arguments: [String], expected: String) {
    #expect(LocArgsFormatter.format(text, arguments: arguments) == expected)
  }

  @Test(arguments: [
    ("plain", 0, 0, 0, false),
    ("%@ %@ %%", 2, 0, 2, false),
    ("%2$@ %1$@", 0, 2, 2, false),
    ("%@ %3$@", 1, 3, 3, false),
    ("%lld", 0, 0, 0, true),
    ("%#@n@", 0, 0, 0, true),
    ("50% off", 0, 0, 0, true),
    ("100%", 0, 0, 0, true),
  ])
  func `Placeholders are counted`(
    text: String, sequential: Int, position: Int, required: Int, other: Bool
  ) {
    let found = LocArgsFormatter.placeholders(in: text)
    #expect(found.sequential == sequential)
    #expect(found.maximumPosition == position)
    #expect(found.requiredArguments == required)
    #expect(found.containsOther == other)
  }

  @Test(arguments: ["100%", "%@", "%%", "a %1$@ b", "plain", "%"])
  func `An escaped literal is shown intact`(literal: String) {
    let escaped = LocArgsFormatter.escapedLiteral(literal)
    #expect(LocArgsFormatter.format(escaped, arguments: ["A"]) == literal)
  }

  @Test func `A position that names no argument is noticed`() {
    #expect(LocArgsFormatter.placeholders(in: "%0$@").hasInvalidPosition)
    #expect(!LocArgsFormatter.placeholders(in: "%1$@").hasInvalidPosition)
  }
}

@Suite struct ServerFormatterTests {
  @Test(arguments: [
    ("%@ sent %lld photos", "en_US", "Ann sent 1,234,567 photos"),
    ("%1$@ sent %2$ld photos", "de_DE", "Ann sent 1.234.567 photos"),
    ("%2$d by %1$@", "en_IN", "12,34,567 by Ann"),
    ("%2$@ by %1$@", "de_CH", "1’234’567 by Ann"),
    ("%@ %i", "fa", "Ann ۱٬۲۳۴٬۵۶۷"),
    ("%2$u%%", "en_US", "1,234,567%"),
    ("no placeholder, 50%", "en", "no placeholder, 50"),
  ])
  func `Numbers are written as the locale does`(text: String, locale: String, expected: String) {
    let result = ServerFormatter.format(
      text, arguments: [.string("Ann"), .integer(1_234_567)], locale: locale)
    #expect(result.text == expected)
  }

  @Test(arguments: [
    ("%@ and %@", "A and ", "missing_argument"),
    ("%3$@!", "!", "missing_argument"),
    ("%0$@!", "!", "missing_argument"),
    ("%5d!", "d!", "unsupported_specifier"),
    ("%.2f!", "2f!", "unsupported_specifier"),
    ("%s%@", "A", "unsupported_specifier"),
    ("%#@n@", "@n@", "unsupported_specifier"),
    ("%d!", "A!", "argument_not_integer"),
    ("%@ %d", "A ", "missing_argument"),
  ])
  func `What cannot be filled is reported and never shown raw`(
    text: String, expected: String, code: String
  ) {
    let result = ServerFormatter.format(text, arguments: [.string("A")], locale: "en")
    #expect(result.text == expected)
    #expect(result.problems.map(\.code) == [code])
  }

  @Test func `A string that is a whole number fills an integer specifier`() {
    let result = ServerFormatter.format("%d", arguments: [.string("1234567")], locale: "en")
    #expect(result.text == "1,234,567")
    #expect(result.problems.isEmpty)
    let text = ServerFormatter.format("%@", arguments: [.string("1234567")], locale: "en")
    #expect(text.text == "1234567")
  }

  @Test(arguments: ["50% off", "100%%", "plain", "ends with %"])
  func `Without arguments and placeholders a text stays as it is`(text: String) {
    let result = ServerFormatter.format(text, arguments: [], locale: "en")
    #expect(result.text == text)
    #expect(result.problems.isEmpty)
  }

  @Test func `Without arguments a placeholder is left empty`() {
    let result = ServerFormatter.format("Hi %@, 100%%", arguments: [], locale: "en")
    #expect(result.text == "Hi , 100%")
    #expect(result.problems == [LocalizationProblem(.missingArgument, detail: "1")])
  }

  @Test func `Surplus arguments are no problem`() {
    let result = ServerFormatter.format(
      "%@", arguments: [.string("A"), .integer(2)], locale: "en")
    #expect(result.text == "A")
    #expect(result.problems.isEmpty)
  }
}

@Suite struct FormattingLocaleTests {
  @Test(arguments: [
    ("fr", ["de-CH", "fr-CH"], "fr_CH"),
    ("en-GB", ["en-IN"], "en_IN"),
    ("zh-Hant", ["zh-Hant-HK"], "zh_Hant_HK"),
    ("zh_Hans", ["zh-Hans"], "zh_Hans"),
    ("pt-BR", ["pt"], "pt_BR"),
    ("es-419", [], "es_419"),
    ("sr@latin", ["sr-Latn-RS"], "sr_RS"),
    ("de", ["en-XQ"], "de"),
    ("pr", ["en-US"], "root"),
    ("", [], "root"),
  ])
  func `Numbers follow the language of the text and the region of the user`(
    localization: String, preferred: [String], expected: String
  ) {
    let identifier = FormattingLocale.identifier(
      localization: localization, preferred: preferred.compactMap { LanguageTag($0) })
    #expect(identifier == expected)
  }

  @Test(arguments: [
    "", "@", "en_US@numbers=arab", "\u{0}", "é", "_", "en__", "zz99",
    String(repeating: "a", count: 9),
  ])
  func `Locales from outside cannot choose more than language, script and region`(locale: String) {
    #expect(ArgumentValue.integer(1234).text(locale: locale) == "1,234")
  }
}
