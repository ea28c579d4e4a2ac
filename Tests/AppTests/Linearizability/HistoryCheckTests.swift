import Testing

/// The check itself: histories of a register that holds a number, 0 at first, whose verdict is
/// known.
@Suite struct HistoryCheckTests {
  private struct Register: SequentialModel {
    enum Operation: Hashable {
      case write(Int)
      case read
      /// Adds one, or does not.
      case mayAdd
    }

    func changesNothing(_ operation: Operation, answered: Int?) -> Bool { operation == .read }

    func states(after operation: Operation, in state: Int, answered answer: Int?) -> [Int] {
      switch operation {
      case .write(let number): [number]
      case .read: answer ?? state == state ? [state] : []
      case .mayAdd: [state, state + 1]
      }
    }
  }

  private typealias Call = HistoryCheck<Register>.Call

  /// `0-9 write 1, 2-3 read 0`: calls with the times of call and answer; `0-?` has no answer.
  private func history(_ text: String) throws -> [Call] {
    try text.split(separator: ", ").map { part in
      let words = part.split(separator: " ")
      let times = words[0].split(separator: "-")
      let number = words.count > 2 ? Int(words[2]) : nil
      let operation: Register.Operation =
        switch words[1] {
        case "write": .write(number ?? 0)
        case "add": .mayAdd
        default: .read
        }
      let start = try #require(UInt64(times[0]))
      guard let end = UInt64(times[1]) else { return Call(operation, call: start) }
      return Call(operation, answered: number ?? 0, call: start, end: end)
    }
  }

  private func word(_ verdict: HistoryCheck<Register>.Verdict) -> String {
    switch verdict {
    case .linearizable: "yes"
    case .violation: "no"
    case .undecided: "undecided"
    }
  }

  @Test(arguments: [
    ("", "yes"),
    ("0-1 write 1, 2-3 read 1", "yes"),
    // A stale reading.
    ("0-1 write 1, 2-3 read 0", "no"),
    // A writing that is under way may have happened or not.
    ("0-9 write 1, 1-2 read 0, 3-4 read 1", "yes"),
    // Time does not run back.
    ("0-9 write 1, 1-2 read 1, 3-4 read 0", "no"),
    // Those that overlap may come in any order.
    ("0-9 write 1, 0-9 write 2, 10-11 read 1", "yes"),
    ("0-9 write 1, 0-9 write 2, 10-11 read 2", "yes"),
    ("0-9 write 1, 0-9 write 2, 10-11 read 1, 12-13 read 2", "no"),
    // The order of the calls in the list does not matter.
    ("2-3 read 1, 0-1 write 1", "yes"),
    // One that ends when another begins overlaps it.
    ("0-2 write 1, 2-3 read 0", "yes"),
    // Two readers see two writings in two orders.
    ("0-99 write 1, 0-99 write 2, 1-2 read 1, 3-4 read 2, 5-6 read 1", "no"),
    // The examples of Porcupine's documentation.
    ("0-100 write 100, 25-75 read 100, 30-60 read 0", "yes"),
    ("0-100 write 200, 10-30 read 200, 40-90 read 0", "no"),
    // A writing that changes nothing at first may be the one that comes later.
    ("0-1 write 1, 2-9 write 2, 3-4 read 2, 4-5 write 1, 6-7 read 1", "yes"),
    // A lost update.
    ("0-1 write 1, 2-3 write 2, 4-5 read 1", "no"),
  ])
  func verdicts(text: String, verdict: String) throws {
    let check = HistoryCheck(Register(), from: 0)
    #expect(word(check.verdict(on: try history(text))) == verdict)
  }

  /// They take effect at any time after their call, or never, and once at most.
  @Test(arguments: [
    ("0-? write 1, 5-6 read 0", "yes"),
    ("0-? write 1, 5-6 read 1", "yes"),
    ("0-? write 1, 5-6 read 0, 7-8 read 1", "yes"),
    ("0-? write 1, 5-6 read 1, 7-8 read 0", "no"),
    ("5-? write 1, 0-1 read 1", "no"),
    ("0-? write 1, 1-2 write 2, 3-4 read 2, 5-6 read 1, 7-8 read 2", "no"),
    ("0-? write 1, 0-? write 2, 3-4 read 2, 5-6 read 1", "yes"),
    ("0-? write 1, 0-? write 2, 3-4 read 2, 5-6 read 1, 7-8 read 2", "no"),
    ("0-? write 1, 0-? read", "yes"),
  ])
  func callsWithoutAnswers(text: String, verdict: String) throws {
    let check = HistoryCheck(Register(), from: 0)
    #expect(word(check.verdict(on: try history(text))) == verdict)
  }

  /// An operation may lead to several states.
  @Test(arguments: [
    ("0-1 add, 2-3 read 0", "yes"), ("0-1 add, 2-3 read 1", "yes"),
    ("0-1 add, 2-3 read 2", "no"), ("0-1 add, 2-3 add, 4-5 read 2", "yes"),
    ("0-1 add, 2-3 read 1, 4-5 read 0", "no"),
  ])
  func operationsWithSeveralStates(text: String, verdict: String) throws {
    let check = HistoryCheck(Register(), from: 0)
    #expect(word(check.verdict(on: try history(text))) == verdict)
  }

  @Test func anImpasseSaysHowFarItIsExplained() throws {
    let calls = try history("4-5 read 0, 0-1 write 1, 2-3 read 1")
    guard case .violation(let impasse) = HistoryCheck(Register(), from: 0).verdict(on: calls)
    else {
      Issue.record("It is a violation.")
      return
    }
    #expect(impasse.order == [1, 2])
    #expect(impasse.state == 1)
    #expect(impasse.unexplained == [0])
  }

  @Test func aViolationIsShrunkToWhatShowsIt() throws {
    let noise = "0-1 write 7, 2-3 read 7, 4-30 write 8, 5-6 read 7, 40-41 write 9"
    let rest = "60-61 write 5, 62-63 read 5, 64-? write 6"
    let calls = try history("\(noise), 50-51 read 8, \(rest)")
    let (part, impasse) = HistoryCheck(Register(), from: 0).shrunk(calls)
    #expect(part.map(\.operation) == [.write(7), .write(8), .write(9), .read])
    #expect(impasse?.unexplained == [3])
    let right = HistoryCheck(Register(), from: 0).shrunk(try history(noise))
    #expect(right.part.count == 5)
    #expect(right.impasse == nil)
  }

  /// A call whose answer is left out may take effect later, so a part may need a longer search than
  /// the whole.
  @Test func whatIsShownOfAViolationIsAViolation() throws {
    let writes = (1...8).map { "0-3\($0) write \($0)" }.joined(separator: ", ")
    let calls = try history("\(writes), 1-2 read 9, 40-41 read 3, 50-51 read 4")
    for steps in [1, 2, 8, 30, 100, 300, 1000, 3000] {
      let check = HistoryCheck(Register(), from: 0, steps: steps)
      let (part, impasse) = check.shrunk(calls)
      #expect(!part.isEmpty)
      #expect((impasse != nil) == (word(check.verdict(on: part)) == "no"), "\(steps) steps")
    }
  }

  /// Eight at once have 40,320 orders, but few sets of calls that took effect: what led nowhere is
  /// not tried again.
  @Test func manyCallsAtOnceAreDecided() throws {
    let writes = (1...8).map { "0-99 write \($0)" }.joined(separator: ", ")
    let calls = try history("\(writes), 100-101 read 9")
    #expect(word(HistoryCheck(Register(), from: 0).verdict(on: calls)) == "no")
    #expect(word(HistoryCheck(Register(), from: 0, steps: 100).verdict(on: calls)) == "undecided")
  }
}
