/// Whether concurrent calls were answered as if each had taken effect at one moment between its
/// call and its answer (Herlihy and Wing, "Linearizability", 1990).
///
/// The search is Wing and Gong's ("Testing and verifying concurrent objects", 1993): take one of
/// the calls that nothing unexplained must precede, ask the model, go on from the state after it,
/// and step back when no call fits. Four things keep it short:
///
/// 1. A set of calls and a state that led nowhere are not tried again (Lowe, "Testing for
///    linearizability", 2017).
/// 2. A call that fits here and can change no state is taken at once: no other call depends on it.
///    It is not enough that it leaves this state as it is: `write 1` does so in the state 1, and
///    may be the one that has to come later, behind `write 2`.
/// 3. Calls whose answer came first are tried first, and those whose answer is lost last.
/// 4. A call whose answer is lost and that would change nothing is not tried.
///
/// An example: `write 1` from 0 to 9, `read → 1` from 1 to 2, `read → 0` from 3 to 4. The write
/// and the first read may come first. The read cannot be answered 1 then, so the write is first and
/// the read behind it; and in the state 1 nothing explains the last read: a violation.
struct HistoryCheck<Model: SequentialModel> {
  /// One call of a history.
  typealias Call = HistoryOperation<Model.Operation, Model.Answer>

  /// What came of a check.
  enum Verdict {
    /// An order of the calls explains all answers.
    case linearizable
    /// No order does.
    case violation(Impasse)
    /// The search was longer than it may be.
    case undecided
  }

  /// How far the best order goes.
  struct Impasse {
    /// The places of the calls in the history, in the order that explains them.
    var order: [Int]
    /// The state behind them.
    var state: Model.State
    /// The places of the calls of which one would have to be next, and none can.
    var unexplained: [Int]
  }

  private let model: Model
  private let initial: Model.State
  private let steps: Int

  /// - Parameter steps: How many states the search may visit.
  init(_ model: Model, from initial: Model.State, steps: Int = 20_000) {
    self.model = model
    self.initial = initial
    self.steps = steps
  }

  /// Checks calls in any order.
  func verdict(on history: [Call]) -> Verdict {
    let places = history.indices.sorted { history[$0].call < history[$1].call }
    var search = Search(
      model: model, calls: places.map { history[$0] }, steps: steps, initial: initial)
    switch search.run() {
    case .violation(var impasse):
      impasse.order = impasse.order.map { places[$0] }
      impasse.unexplained = impasse.unexplained.map { places[$0] }
      return .violation(impasse)
    case let verdict: return verdict
    }
  }

  /// A part of a history that is no more linearizable than the whole, for people to read, with how
  /// far it is explained; the history itself, without an impasse, when it is no violation.
  ///
  /// First the calls go that came after the shortest part of the time that shows it. Then those go
  /// that change nothing and without which it still shows. A call that may change something stays:
  /// it may be what explains the rest. A part that is too tangled to be decided is not taken.
  func shrunk(_ history: [Call]) -> (part: [Call], impasse: Impasse?) {
    guard var found = impasse(of: history) else { return (history, nil) }
    var part = history
    let ends = history.map(\.end).filter { $0 != .max }.sorted()
    var places = ends.indices
    while let first = places.first {
      let middle = first + places.count / 2
      let end = ends[middle]
      let until = history.filter { $0.call <= end }.map { $0.end <= end ? $0 : $0.withoutAnswer }
      if let impasse = impasse(of: until) {
        (part, found) = (until, impasse)
        places = first..<middle
      } else {
        places = middle + 1..<places.endIndex
      }
    }
    for place in part.indices.reversed() where model.changesNothing(part[place]) {
      var fewer = part
      fewer.remove(at: place)
      if let impasse = impasse(of: fewer) { (part, found) = (fewer, impasse) }
    }
    return (part, found)
  }

  private func impasse(of history: [Call]) -> Impasse? {
    if case .violation(let impasse) = verdict(on: history) { impasse } else { nil }
  }

  // MARK: Search

  /// Which calls have taken effect, and what they led to.
  private struct Node: Hashable {
    var taken: [UInt64]
    var state: Model.State

    func has(_ place: Int) -> Bool { taken[place / 64] & (1 << UInt64(place % 64)) != 0 }

    func taking(_ place: Int, to state: Model.State) -> Node {
      var node = Node(taken: taken, state: state)
      node.taken[place / 64] |= 1 << UInt64(place % 64)
      return node
    }
  }

  /// A node on the way, and what is still to be tried from it.
  private struct Step {
    var node: Node
    /// The call that led here.
    var place: Int?
    var candidates: [Int]
    var successors: [Node] = []
    var successorPlace = 0
  }

  private struct Search {
    let model: Model
    /// In the order of their calls.
    let calls: [Call]
    let steps: Int
    let initial: Model.State
    private var visited: Set<Node> = []
    private var way: [Step] = []
    private var best = Best()

    /// How far the search came; there is a state once it has begun.
    private struct Best {
      var order: [Int] = []
      var state: Model.State?
      var unexplained: [Int] = []
      var answered = -1
    }

    init(model: Model, calls: [Call], steps: Int, initial: Model.State) {
      self.model = model
      self.calls = calls
      self.steps = steps
      self.initial = initial
    }

    mutating func run() -> Verdict {
      let words = (calls.count + 63) / 64
      guard enter(Node(taken: Array(repeating: 0, count: words), state: initial), by: nil) else {
        return .linearizable
      }
      while let step = way.indices.last {
        guard visited.count <= steps else { return .undecided }
        if let next = way[step].successors.popLast() {
          guard visited.insert(next).inserted else { continue }
          guard enter(next, by: way[step].successorPlace) else { return .linearizable }
        } else if let place = way[step].candidates.popLast() {
          attempt(place, from: step)
        } else {
          way.removeLast()
        }
      }
      return .violation(
        Impasse(
          order: best.order, state: best.state ?? initial, unexplained: best.unexplained))
    }

    /// Notes the states behind a call.
    private mutating func attempt(_ place: Int, from step: Int) {
      let (call, node) = (calls[place], way[step].node)
      var states = model.states(
        after: call.operation, in: node.state, answered: call.answer)
      if call.answer == nil { states.removeAll { $0 == node.state } }
      // No other call has to be before it.
      if !states.isEmpty, model.changesNothing(call) { way[step].candidates = [] }
      way[step].successors = states.map { node.taking(place, to: $0) }
      way[step].successorPlace = place
    }

    /// Goes on to a node.
    /// - Returns: `false` when every answer is explained.
    private mutating func enter(_ node: Node, by place: Int?) -> Bool {
      let candidates = candidates(behind: node)
      way.append(Step(node: node, place: place, candidates: candidates))
      let answered = calls.indices.count { node.has($0) && calls[$0].answer != nil }
      if answered > best.answered {
        best = Best(
          order: way.compactMap(\.place), state: node.state,
          unexplained: candidates.filter { calls[$0].answer != nil }, answered: answered)
      }
      return candidates.contains { calls[$0].answer != nil }
    }

    /// The calls that may be next, the best last: no other call that has not taken effect was
    /// answered before they began.
    private func candidates(behind node: Node) -> [Int] {
      var earliestEnd = UInt64.max
      var found: [Int] = []
      for (place, call) in calls.enumerated() where !node.has(place) {
        if call.call > earliestEnd { break }
        earliestEnd = min(earliestEnd, call.end)
        found.append(place)
      }
      return found.filter { calls[$0].call <= earliestEnd }
        .sorted { calls[$0].end > calls[$1].end }
    }
  }
}

extension SequentialModel {
  fileprivate func changesNothing(_ call: HistoryOperation<Operation, Answer>) -> Bool {
    changesNothing(call.operation, answered: call.answer)
  }
}
