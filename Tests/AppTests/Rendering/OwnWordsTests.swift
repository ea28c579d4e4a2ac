import Rendering
import Testing

@testable import App

@Suite struct OwnWordsTests {
  private let circumstances = KnownCircumstances("en")

  /// The kind of the lines of a recipient with a text, a number and a badge.
  private func kind(_ text: String?, _ number: String?, badge: String? = nil) -> LineKind {
    var own = OwnWords()
    if let text { own.add(text, at: 0) } else { own.addOpen() }
    if let number { own.addFixed(number) } else { own.addOpen() }
    if let badge { own.add(badge, at: OwnWords.badgeGap) }
    return own.kind(in: circumstances)
  }

  @Test func recipientsWithOtherWordsShareAForm() {
    #expect(kind("Ana", "3", badge: "1") == kind("Zoé", "3", badge: "99"))
  }

  @Test func recipientsWithMoreThanOtherWordsShareNone() {
    let kinds = [
      kind("Ana", "3"), kind("Ana", "4"), kind("Ana", "3", badge: "1"), kind("Ana", nil),
      kind(nil, "3"), kind(nil, nil), kind("", "3"), kind("\"", "3"), kind("\u{1}", "3"),
      kind("\"x", "3"), kind("", nil), kind(nil, ""),
    ]
    #expect(Set(kinds).count == kinds.count)
  }

  @Test func theWordsAreThoseOfTheGaps() {
    var own = OwnWords()
    own.add("Ana", at: 0)
    own.add("50 %", at: 1)
    own.add("7", at: OwnWords.badgeGap)
    let gaps = [0, 1, 2, OwnWords.badgeGap]
    #expect(gaps.map(own.has) == [true, false, false, true])
    let words = gaps.map { String(decoding: own.words.bytes[own.words.ranges[$0]], as: UTF8.self) }
    #expect(words == ["Ana", "", "", "7"])
  }
}
