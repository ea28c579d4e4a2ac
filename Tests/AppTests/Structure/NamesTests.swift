import DeviceProfile
import Testing

@testable import App
@testable import Content
@testable import Registry

@Suite struct NamesTests {
  @Test(arguments: ["a", "1", "my-app", "a-", String(repeating: "a", count: 64)])
  func slugs(text: String) { #expect(AppSlug(text)?.text == text) }

  @Test(arguments: ["", "-a", "A", "a_b", "a.b", "ä", String(repeating: "a", count: 65)])
  func noSlugs(text: String) { #expect(AppSlug(text) == nil) }

  @Test(arguments: ["a", "A.b_c-9", "...", String(repeating: "a", count: 64)])
  func messageNames(text: String) { #expect(MessageName(text)?.text == text) }

  @Test(arguments: ["", ".", "..", "a b", "a/b", "a:b", "ä", String(repeating: "a", count: 65)])
  func noMessageNames(text: String) { #expect(MessageName(text) == nil) }

  @Test(arguments: ["com.example.App", "a", "a-b.c2"])
  func bundleIDs(text: String) { #expect(BundleID(text)?.text == text) }

  @Test(arguments: [
    "", ".", "com..a", "com.a.", "com.a b", "com.ä", String(repeating: "a", count: 156),
  ])
  func noBundleIDs(text: String) { #expect(BundleID(text) == nil) }

  @Test func installationIDIsShownInLowerCase() {
    let text = "6F9619FF-8B86-D011-B42D-00CF4FC964FF"
    #expect(InstallationID(text)?.text == text.lowercased())
    #expect(InstallationID(text.lowercased()) == InstallationID(text))
  }

  @Test(arguments: ["", "6F9619FF8B86D011B42D00CF4FC964FF", "6F9619FF-8B86-D011-B42D-00CF4FC964FG"])
  func noInstallationIDs(text: String) { #expect(InstallationID(text) == nil) }

  @Test(arguments: APIKeyKind.allCases)
  func keys(kind: APIKeyKind) {
    let text = "pst_\(kind.rawValue)_abcdefghijklmnopqrstuvwxyzABC_-9"
    #expect(APIKey(text)?.kind == kind)
  }

  @Test(
    arguments: [
      "", "pst", "pst_admin_", "pst_admin_tooshort", "pst_boss_abcdefghijklmnopqrstuvwxyzABCDEF",
      "psx_admin_abcdefghijklmnopqrstuvwxyzABCDEF", "pst_admin_abcdefghijklmnopqrstuvwxyzABCDE/",
      "pst_admin_" + String(repeating: "a", count: 300),
    ])
  func noKeys(text: String) { #expect(APIKey(text) == nil) }

  @Test(
    arguments: [
      ("3.2", "3.10"), ("17.4", "17.4.1"), ("9", "10"), ("0", "0.0.0.1"), ("412", "1000000"),
    ])
  func versionsAreOrderedByNumber(low: String, high: String) throws {
    #expect(try #require(Version(low)) < #require(Version(high)))
  }

  @Test func trailingZerosDoNotCount() { #expect(Version("3.2") == Version("3.2.0.0")) }

  @Test(arguments: ["", ".", "1.", ".1", "1..2", "1.2.3.4.5", "v1", "1.2b3", "1234567890123456789"])
  func noVersions(text: String) { #expect(Version(text) == nil) }

  @Test(
    arguments: [
      (["zh-Hant_HK", "en"], ["zh-hant-hk", "zh-hant", "zh", "en"]),
      (["en-GB", "en-US"], ["en-gb", "en", "en-us"]),
      ([], []),
    ] as [([String], [String])])
  func ranges(languages: [String], ranges: [String]) {
    #expect(languageRanges(of: languages) == ranges)
  }

  @Test func arrayLiteralsQuoteEverything() {
    #expect(arrayLiteral([]) == "{}")
    #expect(arrayLiteral(["a\"b\\", "", "NULL", "ü,{}"]) == #"{"a\"b\\","","NULL","ü,{}"}"#)
  }
}
