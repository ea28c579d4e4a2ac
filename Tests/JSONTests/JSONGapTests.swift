import Testing

@testable import JSON

@Suite struct JSONGapTests {
  private func written(_ text: String, leavesGaps: Bool = true) -> (String, [JSONGap]) {
    var writer = JSONWriter(leavesGaps: leavesGaps)
    writer.object { $0.member("a", text) }
    return (writer.text, writer.gaps)
  }

  @Test(arguments: [
    ("plain é", "{\"a\":\"plain é\"}", [(Int, Int)]()),
    ("\(JSONGap.mark(0)) is ready", "{\"a\":\" is ready\"}", [(6, 0)]),
    (
      "é\"\(JSONGap.mark(31))\(JSONGap.mark(1))\n", "{\"a\":\"é\\\"\\n\"}",
      [(10, 31), (10, 1)]
    ),
    // The neighbours of these noncharacters, and the last bytes of a text.
    ("\u{FDCF}\u{FDF0}\u{FDC0}", "{\"a\":\"\u{FDCF}\u{FDF0}\u{FDC0}\"}", []),
  ])
  func aMarkIsLeftOut(text: String, json: String, gaps: [(Int, Int)]) {
    let (written, found) = written(text)
    #expect(written == json)
    #expect(found == gaps.map { JSONGap(offset: $0.0, word: $0.1) })
    #expect(JSONGap.isIn(text) == !gaps.isEmpty)
  }

  @Test func withoutGapsItIsACharacterLikeOthers() {
    let (json, gaps) = written(JSONGap.mark(7), leavesGaps: false)
    #expect(json == "{\"a\":\"\(JSONGap.mark(7))\"}")
    #expect(gaps.isEmpty)
  }

  @Test func aValueThatIsLeftOutIsFollowedByAComma() {
    var writer = JSONWriter(leavesGaps: true)
    writer.object { writer in
      writer.key("a")
      writer.gap(3)
      writer.member("b", "\(JSONGap.mark(1))")
      writer.key("c")
      writer.gap(0)
    }
    #expect(writer.text == #"{"a":,"b":"","c":}"#)
    #expect(
      writer.gaps == [(5, 3), (11, 1), (17, 0)].map { JSONGap(offset: $0.0, word: $0.1) })
  }

  @Test func theGapsOfAValueMoveWithIt() {
    var inner = JSONWriter(leavesGaps: true)
    inner.string("<\(JSONGap.mark(2))>")
    var writer = JSONWriter(leavesGaps: true)
    writer.array {
      $0.integer(1)
      $0.raw(inner.bytes, gaps: inner.gaps)
    }
    #expect(writer.text == "[1,\"<>\"]")
    #expect(writer.gaps == [JSONGap(offset: 5, word: 2)])
  }
}
