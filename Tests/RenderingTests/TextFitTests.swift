import JSON
import Localization
import Rendering
import TestSupport
import Testing

@Suite struct TextFitTests {
  @Test(
    arguments: [
      ("Hello", 5, "Hello"), ("Hello", 4, "H…"), ("Hello", 3, "…"), ("Hello", 2, nil),
      ("", 0, ""), ("ab", 1, nil), ("👩‍🚀 off", 15, "👩‍🚀 off"), ("👩‍🚀 off", 14, "👩‍🚀…"),
      ("👩‍🚀 off", 13, "…"), ("🇨🇭🇫🇷", 15, "🇨🇭…"), ("🇨🇭🇫🇷", 14, "🇨🇭…"), ("🇨🇭🇫🇷!", 10, "…"),
      ("e\u{301}e\u{301}!", 6, "e\u{301}…"), ("e\u{301}e\u{301}!", 5, "…"),
      ("\u{1112}\u{1161}\u{11AB}\u{1100}\u{1173}", 12, "\u{1112}\u{1161}\u{11AB}…"),
      ("a\"b\"c", 7, "a\"b\"c"), ("a\"b\"c", 6, "a\"…"), ("a\"b\"c", 5, "a…"), ("\\\\", 3, "…"),
      ("\n\r\tx", 6, "\n…"), ("a\r\nb", 6, "a\r\nb"), ("a\r\nb", 5, "a…"),
      ("\u{1}\u{1F}", 11, "\u{1}…"), ("\u{7F}/é", 4, "\u{7F}/é"),
      ("שלום", 7, "של…"), ("100%", 4, "100%"),
    ] as [(String, Int, String?)])
  func aTextIsCutToTheLongestBeginningThatFits(text: String, budget: Int, expected: String?) {
    #expect(TextFit().fitted(text, into: budget) == expected)
  }

  @Test(arguments: [("100%", 5, "100%"), ("100%", 4, "1…"), ("a%b", 4, "a%b"), ("%%%", 5, "%…")])
  func aTextIsNeverCutWithinAPairOfPercentSigns(text: String, budget: Int, expected: String) {
    #expect(TextFit(doublesPercent: true).fitted(text, into: budget) == expected)
  }

  @Test func aCutTextIsTheLongestOfWholeGraphemesThatIsValidJSON() throws {
    var random = SplitMix64(seed: 1)
    for _ in 0..<100_000 {
      let text = RandomText.make(pieces: 0...8, &random)
      let fit = TextFit(doublesPercent: Bool.random(using: &random))
      let length = fit.bytes(of: text)
      let budget = Int.random(in: 0...length + 2, using: &random)
      guard let cut = fit.fitted(text, into: budget) else {
        if length <= budget || TextFit.ellipsisBytes <= budget {
          Issue.record("\(text.debugDescription) can be cut to \(budget)")
        }
        continue
      }
      let written = fit.doublesPercent ? LocArgsFormatter.escapedLiteral(cut) : cut
      var writer = JSONWriter()
      writer.string(written)
      let isWhole = RandomText.isLongest(cut, of: text, within: budget, fit)
      guard isWhole, writer.bytes.count - 2 == fit.bytes(of: cut), fit.bytes(of: cut) <= budget,
        JSONValue(parsing: writer.bytes) == .string(written),
        !fit.doublesPercent || LocArgsFormatter.format(written, arguments: ["x"]) == cut
      else {
        Issue.record("\(text.debugDescription) became \(cut.debugDescription) in \(budget)")
        continue
      }
    }
  }
}

/// Texts that are hard to cut.
enum RandomText {
  /// Some letters, and what takes more than one byte, scalar or escape.
  private static let pieces = [
    "a", "Z", " ", "é", "e\u{301}", "o\u{302}\u{323}\u{31B}", "ß", "漢", "𝒳", "👍🏽", "👩🏽‍🚀", "👨‍👩‍👧‍👦",
    "🏳️‍🌈", "❤️", "1️⃣", "🇨🇭", "🇫🇷", "\u{1F1E6}", "שָׁלוֹם", "مرحبا", "\u{202E}", "\u{2068}", "\u{600}",
    "\u{1100}\u{1161}\u{11A8}", "각", "\u{1161}", "क्षि", "กำ", "\"", "\\", "/", "\n", "\r\n", "\t",
    "\u{1}", "\u{1F}", "\u{7F}", "\u{2028}", "%", "%%", "%@", "%1$@", "\u{200D}", "\u{FE0F}",
    "\u{301}",
    "…", "{", "}",
  ]

  static func make(pieces count: ClosedRange<Int>, _ random: inout SplitMix64) -> String {
    var text = ""
    for _ in 0..<Int.random(in: count, using: &random) {
      text += pieces.randomElement(using: &random) ?? ""
    }
    return text
  }

  /// Whether a cut text has the first graphemes of a text, and with one more would not fit.
  static func isLongest(
    _ cut: String, of text: String, within budget: Int, _ fit: TextFit
  ) -> Bool {
    if fit.bytes(of: text) <= budget { return cut.utf8.elementsEqual(text.utf8) }
    guard cut.utf8.suffix(TextFit.ellipsisBytes).elementsEqual(TextFit.ellipsis.utf8) else {
      return false
    }
    let kept = cut.utf8.dropLast(TextFit.ellipsisBytes)
    guard text.utf8.starts(with: kept) else { return false }
    var end = text.startIndex
    while text.utf8.distance(from: text.startIndex, to: end) < kept.count {
      end = text.index(after: end)
    }
    guard text.utf8.distance(from: text.startIndex, to: end) == kept.count, end < text.endIndex
    else { return false }
    let longer = text[...end]
    return fit.bytes(of: longer) + TextFit.ellipsisBytes > budget
  }
}
