import Testing

@testable import Postgres

/// Which connection takes what, without any connection.
@Suite struct WorkQueueTests {
  /// What comes and what is taken, in the order of time.
  enum Step: Sendable {
    case read(String)
    case segment(String)
    case transaction(String)
    /// The cycle ends: transactions are given connections, `T = 1`, then segments, `a b > 0`.
    case cycle([String])
    case busy(Int, depth: Int)
    case free(Int)
    case gone(Int)
  }

  struct Case: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let connections: Int
    let steps: [Step]
    init(_ name: String, connections: Int, _ steps: Step...) {
      testDescription = name
      self.connections = connections
      self.steps = steps
    }
  }

  static let cases = [
    Case(
      "reads share a segment, and a write has its own", connections: 1,
      .read("a"), .read("b"), .segment("c"), .read("d"), .cycle(["a b > 0", "c > 0", "d > 0"])),
    Case(
      "the emptiest connection is taken", connections: 2,
      .busy(0, depth: 3), .segment("a"), .segment("b"), .cycle(["a > 1", "b > 1"])),
    Case(
      "a full connection takes nothing", connections: 1,
      .busy(0, depth: 8), .read("a"), .cycle([]), .busy(0, depth: 7), .cycle(["a > 0"])),
    Case(
      "without a connection all wait", connections: 0,
      .read("a"), .transaction("T"), .cycle([])),
    Case(
      "a transaction gets an empty connection", connections: 2,
      .busy(0, depth: 1), .transaction("T"), .cycle(["T = 1"]), .read("a"), .cycle(["a > 0"])),
    Case(
      "the last free connection is left to the statements", connections: 2,
      .transaction("T"), .transaction("U"), .read("a"), .cycle(["T = 0", "a > 1"]),
      .cycle([]), .busy(1, depth: 0), .cycle(["U = 1"])),
    Case(
      "while a transaction waits, the emptiest connection is left to drain", connections: 2,
      .busy(0, depth: 2), .busy(1, depth: 1), .transaction("T"), .read("a"), .cycle(["a > 0"]),
      .busy(1, depth: 0), .cycle(["T = 1"])),
    Case(
      "a single connection is given in turns", connections: 1,
      .read("a"), .transaction("T"), .cycle(["a > 0"]), .read("b"), .cycle([]),
      .busy(0, depth: 0), .cycle(["T = 0"]), .cycle([]), .free(0), .cycle(["b > 0"])),
    Case(
      "what waits outlives a connection", connections: 2,
      .busy(0, depth: 8), .busy(1, depth: 8), .read("a"), .cycle([]), .gone(0),
      .busy(0, depth: 0), .cycle(["a > 0"])),
  ]

  @Test(arguments: cases)
  func workIsGivenToConnections(_ example: Case) {
    var queue = WorkQueue<String, String>()
    var connections = Array(repeating: ConnectionLoad(), count: example.connections)
    for (time, step) in example.steps.enumerated() {
      let now = UInt64(time)
      switch step {
      case .read(let name): queue.add(name, isRead: true, at: now)
      case .segment(let name): queue.add(name, isRead: false, at: now)
      case .transaction(let name): queue.add(lease: name, at: now)
      case .busy(let index, let depth): connections[index].depth = depth
      case .free(let index): connections[index] = ConnectionLoad()
      case .gone(let index): connections.remove(at: index)
      case .cycle(let expected):
        var taken: [String] = []
        while let (lease, index) = queue.takeLease(connections) {
          connections[index].isFree = false
          taken.append("\(lease) = \(index)")
        }
        while let (work, index) = queue.takeWork(connections) {
          connections[index].depth += 1
          taken.append("\(work.joined(separator: " ")) > \(index)")
        }
        #expect(taken == expected, "step \(time)")
      }
    }
  }

  @Test func aSegmentHoldsNoMoreReadsThanOneMay() {
    var queue = WorkQueue<Int, Int>()
    for number in 0..<150 { queue.add(number, isRead: true, at: 0) }
    var segments: [[Int]] = []
    while let (work, _) = queue.takeWork([ConnectionLoad()]) { segments.append(work) }
    #expect(segments.map(\.count) == [64, 64, 22])
    #expect(segments.flatMap { $0 } == Array(0..<150))
  }

  @Test func whatWaitsTooLongIsTakenOut() {
    var queue = WorkQueue<String, String>()
    queue.add("a", isRead: true, at: 1)
    queue.add(lease: "T", at: 2)
    queue.add("b", isRead: false, at: 3)
    queue.add(lease: "U", at: 4)
    // What is asked for last may be of the call that began first.
    queue.add("c", isRead: false, at: 2)
    queue.add(lease: "V", at: 1)
    let late = queue.takeExpired(before: 3)
    #expect(late.work == ["a", "c"])
    #expect(late.leases == ["T", "V"])
    let rest = queue.takeAll()
    #expect(rest.work == ["b"])
    #expect(rest.leases == ["U"])
    let (work, lease) = (queue.takeWork([ConnectionLoad()]), queue.takeLease([ConnectionLoad()]))
    #expect(work == nil && lease == nil)
  }

  @Test func aQueueHasABound() {
    var queue = WorkQueue<Int, Int>()
    for number in 0..<4096 {
      #expect(!queue.isFull && !queue.isFullOfLeases)
      queue.add(number, isRead: true, at: 0)
      queue.add(lease: number, at: 0)
    }
    #expect(queue.isFull && queue.isFullOfLeases)
    // One connection alone has nothing for statements that came with a transaction.
    _ = queue.takeWork([ConnectionLoad(), ConnectionLoad()])
    #expect(!queue.isFull)
  }
}
