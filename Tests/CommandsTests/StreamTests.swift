import JSON
import Testing

@testable import Commands

/// Progress of long work, and what `tail` holds for new.
@Suite struct StreamTests {
  @Test(
    arguments: [
      (12_500_000, 40_000_000, Progress.Unit.bytes, 2.5, "12.5 of 40.0 MB, 5.0 MB/s, 0:06 left"),
      (3000, nil, .lines, 2, "3000 lines, 1500/s"), (0, 10, .lines, 0, "0 of 10, 0/s"),
      (1_000_000, nil, .bytes, 1, "1.0 MB, 1.0 MB/s"), (10, 10, .lines, 1, "10 of 10, 10/s"),
      (1, 1000, .lines, 1, "1 of 1000, 1/s, 16:39 left"),
    ] as [(Int, Int?, Progress.Unit, Double, String)])
  func progressHasARateAndAnEnd(
    done: Int, total: Int?, unit: Progress.Unit, seconds: Double, text: String
  ) {
    #expect(Progress.text(done: done, of: total, unit, after: seconds) == text)
  }

  private func entries(_ ids: Int...) -> [JSONValue] {
    ids.map { .object(["id": .integer(Int64($0))]) }
  }

  @Test func tailShowsEachEntryOnce() {
    var tail = Tail(since: "2026-11-01T00:00:00Z")
    #expect(tail.fresh(entries(4, 3, 2), "audit", entries(4, 3)) == entries(4, 3))
    #expect(tail.fresh(entries(4, 3, 2), "audit") == [])
    #expect(tail.fresh(entries(6, 5, 4), "audit") == entries(6, 5))
    #expect(tail.fresh(entries(6), "failures", []) == [])
  }

  /// A look goes on to older entries until it meets what it knows; its own calls are known, too.
  @Test func tailReadsAsFarAsItHasSeen() {
    let own: JSONValue = .object(["id": .integer(5), "request_id": .string("postilion-tail")])
    var tail = Tail(since: "")
    #expect(!tail.goesOn(behind: entries(9), "audit"))
    #expect(tail.fresh(entries(6) + [own], "audit", []) == [])
    #expect(tail.goesOn(behind: entries(9, 8), "audit"))
    #expect(!tail.goesOn(behind: entries(8, 6), "audit"))
    #expect(!tail.goesOn(behind: [own], "audit"))
    #expect(tail.fresh(entries(8) + [own], "audit") == entries(8))
  }

  @Test func aBreakerIsNewsWhenItOpensAndWhenItCloses() {
    func breaker(_ state: String) -> [JSONValue] {
      [.object(["environment": .string("production"), "state": .string(state)])]
    }
    var tail = Tail(since: "")
    #expect(tail.changed(breaker("closed")) == [])
    #expect(tail.changed(breaker("open")) == breaker("open"))
    #expect(tail.changed(breaker("open")) == [])
    #expect(tail.changed(breaker("closed")) == breaker("closed"))
  }

  @Test func argumentsAreTextsOrJSON() throws {
    #expect(
      try Assignments.json(["a=b=c", "n:=3", "e="], option: "--x")
        == ["a": .string("b=c"), "n": .integer(3), "e": .string("")])
    #expect(throws: Exit(ExitCode.usage, "--x is NAME=VALUE, not \"a\".")) {
      try Assignments.json(["a"], option: "--x")
    }
    #expect(throws: Exit.self) { try Assignments.json(["n:=x"], option: "--x") }
  }

  /// Otherwise the last would count in silence, and a filter would find others.
  @Test(arguments: [["a=1", "a=2"], ["a=1", "b=2", "a:=1"], ["a:=null", "a=x"]])
  func aNameIsGivenOnce(words: [String]) {
    let twice = Exit(ExitCode.usage, "--x a=… is there twice: give each name once.")
    #expect(throws: twice) { try Assignments.json(words, option: "--x") }
    let texts = words.map { $0.replacing(":", with: "") }
    #expect(throws: twice) { try Assignments.texts(texts, option: "--x") }
  }

  /// What the try took and the import did not is no success, unless that was allowed.
  @Test func anImportThatRejectsMoreThanItsTryFails() {
    #expect(ImportCommand.failure(2, skips: false)?.code == ExitCode.data)
    #expect(ImportCommand.failure(1, skips: false)?.line.contains(" 1 record could not ") == true)
    #expect(ImportCommand.failure(1, skips: true) == nil)
  }
}
