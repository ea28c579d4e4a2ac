import ASCII
import Localization
import TestSupport
import Testing

/// Whatever comes in, nothing crashes, hangs or leaks a `<null>` into a server's text.
@Suite struct RobustnessTests {
  @Test func formattersSurviveAnyText() {
    var random = SplitMix64(seed: 0xF0_12_3A)
    let alphabet = Array("%@$0129ldiu#s é😀\u{0}\u{301}n.*-").map(String.init)
    for _ in 0..<20_000 {
      let text = (0..<random.below(12)).map { _ in alphabet[random.below(alphabet.count)] }.joined()
      let strings = (0..<random.below(4)).map { "a\($0)" }
      _ = LocArgsFormatter.format(text, arguments: strings)
      let literal = LocArgsFormatter.escapedLiteral(text)
      #expect(LocArgsFormatter.format(literal, arguments: ["x"]) == text)
      let filled = english.format(text, arguments: strings.map { .string($0) })
      #expect(!filled.text.contains("<null>"))
      let found = LocArgsFormatter.placeholders(in: text)
      if !found.containsOther, !found.hasInvalidPosition, found.requiredArguments <= strings.count,
        !strings.isEmpty
      {
        #expect(filled.text == LocArgsFormatter.format(text, arguments: strings))
        #expect(filled.problems.isEmpty)
      }
    }
  }

  @Test(arguments: ["%.*f", "%*.*f", "%.*e", "%.*g", "%.*d", "%5.*x", "%.*a"])
  func aPrecisionBelowZeroIsNoneAsInC(text: String) {
    let stars = text.count { $0 == "*" }
    let amounts = [ArgumentValue](repeating: .integer(-5), count: stars)
    let number = ArgumentValue.integer(7)
    let plain = text.replacing(".*", with: "")
    let expected = english.format(plain, arguments: amounts.dropFirst() + [number])
    let filled = english.format(text, arguments: amounts + [number])
    #expect(filled == expected)
  }

  @Test func aTextHasABoundOfPlaceholdersAndOfWhatItReads() {
    func repeated(_ text: String) -> String {
      String(repeating: text, count: 65_536 / text.utf8.count)
    }
    let number = ArgumentValue.decimal(1.5, text: "1.5", fractionDigits: nil)
    let numbers = english.format(repeated("%1$g "), arguments: [number])
    #expect(numbers.text == String(repeating: "1.5 ", count: 512))
    #expect(numbers.problems.map(\.code) == ["expansion_limit"])

    let format = PluralFormat(
      (1...200).map { "%\($0)$#@n@" }.joined(),
      variables: ["n": PluralVariable(specifier: "d", cases: [.other: repeated("%000000000")])])
    #expect(english.format(format, arguments: [number]).problems.count == 32)
    #expect(format.argumentUses.count == 200)
  }

  @Test(arguments: ["%000d", "%000", "%#@nnn@", "%000y"])
  func aProblemQuotesTheBeginningOfWhatIsLong(text: String) {
    let long = text.replacing("000", with: String(repeating: "0", count: 60_000))
      .replacing("nnn", with: String(repeating: "n", count: 60_000))
    let details = english.format(long, arguments: [.string("x")]).problems.map(\.detail)
    #expect(details.map(\.unicodeScalars.count) == [81])
  }

  @Test func tagsAndTheMatcherSurviveAnyText() {
    var random = SplitMix64(seed: 0x7A6)
    let words = [
      "en", "zh", "Hans", "Hant", "HK", "no", "NO", "-", "_", "@", ".", "=", "sr", "latin", "419",
      "root", "zxx", "u", "x", "English", "yue", "i", "é", "\u{0}", " ", "POSIX", "mul", "Base",
    ]
    func identifier() -> String {
      (0..<random.below(9)).map { _ in words[random.below(words.count)] }.joined()
    }
    for _ in 0..<3000 {
      let preferred = (0..<random.below(6)).compactMap { _ in LanguageTag(identifier()) }
      let available = (0..<random.below(12)).map { _ in identifier() }
      let found = LanguageMatcher.localizations(preferred: preferred, available: available)
      #expect(found.allSatisfy(available.contains))
      let chain = LanguageMatcher.bundleLocalizations(
        preferred: preferred, languages: available, developmentLanguage: identifier())
      #expect(!chain.isEmpty)
    }
  }

  @Test func countsBeyondTheBoundsAreCutNotRefused() {
    let preferred = (0..<5000).compactMap { LanguageTag("xx-Y\($0)") }
    let available = (0..<5000).map { "en-X\($0)" }
    #expect(LanguageMatcher.localizations(preferred: preferred, available: available).isEmpty)
  }
}
