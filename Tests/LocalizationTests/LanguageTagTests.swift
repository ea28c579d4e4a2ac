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
}
