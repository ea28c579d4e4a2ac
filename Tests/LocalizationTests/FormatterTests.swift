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
  func textsComeOutAsOnTheDevice(text: String, arguments: [String], expected: String) {
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
  func placeholdersAreCounted(
    text: String, sequential: Int, position: Int, required: Int, other: Bool
  ) {
    let found = LocArgsFormatter.placeholders(in: text)
    #expect(found.sequential == sequential)
    #expect(found.maximumPosition == position)
    #expect(found.requiredArguments == required)
    #expect(found.containsOther == other)
  }

  @Test(arguments: [
    ("%@", false), ("%1$@%@", false), ("%d", false), ("", false), ("%%", true), ("%@ ", true),
    ("a", true),
  ])
  func wordsBesidePlaceholdersAreNoticed(text: String, hasWords: Bool) {
    #expect(LocArgsFormatter.placeholders(in: text).hasWords == hasWords)
  }

  @Test(arguments: ["100%", "%@", "%%", "a %1$@ b", "plain", "%"])
  func anEscapedLiteralIsShownIntact(literal: String) {
    let escaped = LocArgsFormatter.escapedLiteral(literal)
    #expect(LocArgsFormatter.format(escaped, arguments: ["A"]) == literal)
  }

  @Test func aPositionThatNamesNoArgumentIsNoticed() {
    #expect(LocArgsFormatter.placeholders(in: "%0$@").hasInvalidPosition)
    #expect(!LocArgsFormatter.placeholders(in: "%1$@").hasInvalidPosition)
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
    ("pr", ["en-US"], "en_US"),
    ("iw", ["he-IL"], "he_IL"),
    ("tl", [], "fil"),
    ("sh", ["sr-RS"], "sr_Latn_RS"),
    ("swc", [], "sw_CD"),
    ("swc", ["pt-BR"], "sw_BR"),
    ("English", ["en-AU"], "en_AU"),
    ("Chinese", [], "zh_Hans"),
    ("Klingonian", [], "en"),
    ("an", ["an-ES"], "en"),
    ("", [], "en"),
  ])
  func numbersFollowTheLanguageOfTheTextAndTheRegionOfTheUser(
    localization: String, preferred: [String], expected: String
  ) {
    let identifier = FormattingLocale.identifier(
      localization: localization, settings: preferred.first)
    #expect(identifier == expected)
  }

  @Test(arguments: [
    ("en", "en_US@rg=gbzzzz", "en_US@rg=gbzzzz"),
    ("fr", "en-US@rg=GBZZZZ;hours=h23", "fr_US@hours=h23;rg=gbzzzz"),
    (
      "ar", "ar_EG@numbers=latn;collation=x;calendar=gregorian",
      "ar_EG@calendar=gregorian;numbers=latn"
    ),
    ("th", "th_TH@calendar=mayan;numbers=none;hours=h13;rg=xqzzzz", "th_TH"),
    ("de", "de_DE@rg;=;rg=gb;numbers==latn;;hours=h12=", "de_DE"),
    ("de@numbers=arab", "de_AT", "de_AT"), ("pr", "en_US@numbers=arab", "en_US@numbers=arab"),
  ])
  func whatAPersonSetBesideLanguageAndRegionCountsToo(
    localization: String, settings: String, expected: String
  ) {
    let identifier = FormattingLocale.identifier(localization: localization, settings: settings)
    #expect(identifier == expected)
    #expect(FormattingLocale.identifier(localization: identifier, settings: identifier) == expected)
  }

  @Test(arguments: [
    ("fr_CA", "fr_CA"), ("en_US@rg=gbzzzz;currency=EUR", "en_US@rg=gbzzzz;currency=EUR"),
    ("en_US_POSIX", "en_US_POSIX"), ("tlh_DE", "tlh_DE"), ("English", "English"),
    ("zh_TW_#Hant", "zh-Hant-TW"), ("de_DE.UTF-8@euro", "de_DE@euro"), ("fr-CH;q=0.9", "fr-CH"),
    ("", nil), ("C", nil), ("POSIX", nil), ("C.UTF-8", nil), ("garbage!!", nil), ("garbage", nil),
    ("日本", nil), ("*", nil), ("_DE", nil),
  ])
  func settingsAreThoseOfALanguage(text: String, expected: String?) {
    #expect(FormattingLocale.settings(text) == expected)
  }

  @Test(arguments: ["ar_EG@numbers=latn", "en_US@rg=gbzzzz", "en_US@calendar=buddhist"])
  func numbersAreWrittenInTheDigitsThatWereSet(locale: String) {
    #expect(ArgumentValue.integer(1234).text(locale: locale) == "1,234")
    #expect(ArgumentValue.integer(1234).text(locale: "en_US@numbers=arab") == "١٬٢٣٤")
  }

  @Test(arguments: [
    "", "@", "en_US@numbers=none", "\u{0}", "é", "_", "en__", "zz99",
    String(repeating: "a", count: 9),
  ])
  func localesFromOutsideCannotChooseWhatDoesNotExist(locale: String) {
    #expect(ArgumentValue.integer(1234).text(locale: locale) == "1,234")
  }
}
