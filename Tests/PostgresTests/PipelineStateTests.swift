import Testing

@testable import Postgres

@Suite struct PipelineStateTests {
  /// What libpq gives: a result, an end mark, a sync.
  enum Event: Sendable { case result, end, sync }
  struct Row: Sendable {
    let segments: [Int]
    let events: [Event]
    let actions: [PipelineState.Action]
    let depth: Int
    init(
      _ segments: [Int], _ events: [Event], _ actions: [PipelineState.Action], depth: Int = 0
    ) {
      self.segments = segments
      self.events = events
      self.actions = actions
      self.depth = depth
    }
  }

  static let rows = [
    Row([1], [.result, .end, .sync], [.deliver(statement: 0), .none, .completeSegment]),
    Row(
      [2], [.result, .end, .result, .end, .sync],
      [.deliver(statement: 0), .none, .deliver(statement: 1), .none, .completeSegment]),
    Row(
      [1, 1], [.result, .end, .sync, .result],
      [.deliver(statement: 0), .none, .completeSegment, .deliver(statement: 0)], depth: 1),
    // A Sync alone, when libpq refused all statements of a segment.
    Row([0, 1], [.sync, .result], [.completeSegment, .deliver(statement: 0)], depth: 1),
    // What was not asked for.
    Row([], [.result], [.outOfStep]),
    Row([], [.end], [.outOfStep]),
    Row([], [.sync], [.outOfStep]),
    Row([1], [.sync], [.outOfStep], depth: 1),
    Row([1], [.result, .sync], [.deliver(statement: 0), .outOfStep], depth: 1),
    // A commit that fails at the Sync, or a server that ends before it.
    Row(
      [1, 1], [.result, .end, .result, .end, .sync, .result],
      [
        .deliver(statement: 0), .none, .failSegment, .none, .completeSegment,
        .deliver(statement: 0),
      ], depth: 1),
    // Both.
    Row(
      [1], [.result, .end, .result, .end, .result],
      [.deliver(statement: 0), .none, .failSegment, .none, .failSegment], depth: 1),
    Row([1], [.result, .end, .end], [.deliver(statement: 0), .none, .outOfStep], depth: 1),
  ]

  @Test(arguments: rows)
  func saysWhatAResultMeans(row: Row) {
    var state = PipelineState()
    for statements in row.segments { state.sent(statements: statements) }
    let actions = row.events.map { event in
      switch event {
      case .result: state.receivedResult()
      case .end: state.receivedEnd()
      case .sync: state.receivedSync()
      }
    }
    #expect(actions == row.actions)
    #expect(state.depth == row.depth)
    #expect(state.isEmpty == (row.depth == 0))
  }
}
