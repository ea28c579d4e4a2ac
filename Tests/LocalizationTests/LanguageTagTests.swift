import Localization
import Testing

@Suite struct LanguageTagTests {
  @Test(arguments: [
    "en", "zh-Hant-HK", "zh_Hans", "sr@latin", "pr", "English", "Norwegian", "Portuguese",
    "es-419", "en-DE", "de@collation=phonebook", "en_US.UTF-8", "zh-Hans_CN@calendar=x;rg=us",
    "hi-Latn-IN", "EN-us", String("en-" + String(repeating: "x", count: 55)),
  ])
  func identifiersOfDevicesAndBundlesAreKeptVerbatim(text: String) {
    #expect(LanguageTag(text)?.text == text)
  }

  @Test(arguments: [
    "", "e", "1", "-en", "_", "@x", "e1", "en us", "en/US", "fr\n", "fr\0", "é", "日本語", "x-klingon",
    "Mandarinese", String("en-" + String(repeating: "x", count: 56)),
  ])
  func everythingElseIsRefused(text: String) {
    #expect(LanguageTag(text) == nil)
  }

  /// What Java, ICU, POSIX and browsers send, and what they mean.
  @Test(arguments: [
    ("zh-Hant-HK", "zh-Hant-HK"), ("en_US", "en_US"), ("en_US@rg=gbzzzz", "en_US@rg=gbzzzz"),
    ("zh_CN_#Hans", "zh-Hans-CN"), ("zh_TW_#Hant", "zh-Hant-TW"), ("sr__#Latn", "sr-Latn"),
    ("sr_RS_#Latn", "sr-Latn-RS"), ("th_TH_TH_#u-nu-thai", "th-TH"), ("iw", "iw"), ("in", "in"),
    ("zh_CN_#Hans_u-co-pinyin", "zh-Hans-CN"),
    ("sr_Latn_RS@collation=phonebook", "sr_Latn_RS@collation=phonebook"),
    (
      "sr_Latn_RS@calendar=gregorian;collation=standard;currency=RSD;numbers=latn", "sr_Latn_RS"
    ),
    ("de_DE.UTF-8@euro", "de_DE"), ("de_DE@euro", "de_DE"), ("en_US.UTF-8", "en_US"),
    ("sr_RS@latin", "sr-Latn-RS"), ("sr_RS.UTF-8@latin", "sr-Latn-RS"),
    ("uz_UZ@cyrillic", "uz-Cyrl-UZ"),
    ("fr-CH;q=0.9", "fr-CH"), (" fr; q=0.8", "fr"), ("English", "English"),
    ("C", nil), ("POSIX", nil), ("C.UTF-8", nil), ("POSIX.UTF-8", nil), ("*", nil),
    ("*;q=0.5", nil),
    ("", nil), ("fr-CH, fr;q=0.9", nil), ("#Hans", nil), ("not a tag", nil), ("_US", nil),
    (String(repeating: "a", count: 9999), nil),
  ])
  func aTagIsReadAsOtherSystemsWriteIt(text: String, expected: String?) {
    #expect(LanguageTag(reading: text)?.text == expected)
  }

  @Test(arguments: [
    ("zh_CN_#Hans", "zh-Hans"), ("zh_TW_#Hant", "zh-Hant"), ("sr_RS@latin", "sr-Latn"),
    ("in", "id"), ("iw", "he"), ("ji", "yi"), ("sr_Latn_RS@collation=standard", "sr-Latn"),
    ("de_DE.UTF-8@euro", "de"), ("fr-CH;q=0.9", "fr"),
  ])
  func suchATagFindsItsLocalization(text: String, expected: String) throws {
    let available = ["en", "zh-Hans", "zh-Hant", "sr", "sr-Latn", "id", "he", "yi", "de", "fr"]
    let tag = try #require(LanguageTag(reading: text))
    let chosen = LanguageMatcher.localizations(preferred: [tag], available: available)
    #expect(chosen.first == expected)
  }
}
