import ASCII
import JSON
import Testing

/// Names and texts that somebody made to cost much, or to fill answers.
@Suite struct LongNameTests {
  /// The bytes of a name count (RFC 8259 section 8.3): its letters would take quadratic time.
  @Test(arguments: [0, 64]) func namesAreComparedByTheirBytes(length: Int) throws {
    let end = String(repeating: "x", count: length)
    let text = "{\"\u{E9}\(end)\": 1, \"e\u{301}\(end)\": 2}"
    let value = try JSONValue(body: Array(text.utf8))
    guard case .object(let members) = value else { throw Unexpected() }
    #expect(members.count == 2)
    #expect(members["\u{E9}\(end)"] == .integer(1))
    #expect(JSONValue(parsing: Array("{\"a\(end)\": 1, \"a\(end)\": 2}".utf8)) == nil)
  }

  @Test func thePlaceOfAFaultIsBounded() {
    let name = String(repeating: "n", count: 60)
    let text =
      String(repeating: "{\"\(name)\":", count: 500) + "{\"a\": 1, \"a\": 2}"
      + String(repeating: "}", count: 500)
    let problems = JSONFault.problems(in: Array(text.utf8))
    #expect(problems.count == 1)
    #expect(problems[0].pointer.utf8.count <= 1_100)
    #expect(problems[0].pointer.hasSuffix("/\(name)/a"))
  }

  @Test func whatAFaultSaysIsBounded() {
    let problem = InputFault.unknownValue.problem(
      at: String(repeating: "/é", count: 4_000), String(repeating: "é", count: 4_000))
    #expect(problem.pointer.utf8.count <= 1_100)
    #expect(problem.detail.utf8.count <= 1_030)
    #expect(problem.detail.hasSuffix("é…"))
  }

  @Test(arguments: [
    ("abc", 3, "abc"), ("abcd", 3, "abc…"), ("aéb", 2, "a…"), ("a😀", 4, "a…"), ("😀", 1, "…"),
  ])
  func aTextIsCutBetweenCharacters(text: String, bytes: Int, shortened: String) {
    #expect(text.shortened(to: bytes) == shortened)
  }

  @Test(arguments: [
    ("", "a"), ("a", "b"), ("a", "ab"), ("abcdefghi", "abcdefghj"), ("abcdefgh", "abcdefghi"),
    ("e\u{301}", "\u{E9}"),
  ])
  func spellingsHaveTheOrderOfTheirBytes(one: String, other: String) {
    #expect(Spelling(one) < Spelling(other))
    #expect(!(Spelling(other) < Spelling(one)))
    #expect(Spelling(one) != Spelling(other))
    #expect(Spelling(one) == Spelling(one))
  }
}

private struct Unexpected: Error {}
