/// What libpq's results mean in pipeline mode, as a value: the connection asks, then acts.
///
/// libpq answers each statement with one result and an end mark (a null result), and each Sync with
/// one sync result and no end mark. After an error the server skips to the next Sync, and libpq
/// reports each skipped statement as aborted, so the count always comes out. Where the Sync itself
/// fails, as the commit that it makes can, the error and an end mark come before the sync result.
struct PipelineState {
  /// What the connection has to do with a result.
  enum Action: Equatable {
    /// Give the result to this statement of the segment in front.
    case deliver(statement: Int)
    /// The Sync of the segment in front failed, or the server ended before it: the result says why.
    case failSegment
    /// The segment in front is complete: take it off and tell its callers.
    case completeSegment
    case none
    /// Nothing asked for the result: give the connection up.
    case outOfStep
  }

  /// Statements in each segment under way, oldest first.
  private var segments: [Int] = []
  private var front = 0
  /// How many segments that are over stay in the list at most. They are removed together, so that
  /// moving the rest costs next to nothing for each.
  private static let keptSegments = 256
  /// Statements of the segment in front whose end mark has come.
  private var ended = 0
  /// Whether the Sync of the segment in front has failed.
  private var hasFailedSync = false

  /// Whether an answer is outstanding.
  var isEmpty: Bool { front == segments.count }

  /// Segments under way.
  var depth: Int { segments.count - front }

  /// A segment of this many statements and a Sync has been sent.
  mutating func sent(statements: Int) {
    segments.append(statements)
  }

  /// A result that is not a sync has come.
  mutating func receivedResult() -> Action {
    guard !isEmpty else { return .outOfStep }
    if ended < segments[front] { return .deliver(statement: ended) }
    hasFailedSync = true
    return .failSegment
  }

  /// A null result has come.
  mutating func receivedEnd() -> Action {
    guard !isEmpty else { return .outOfStep }
    if hasFailedSync { return .none }
    guard ended < segments[front] else { return .outOfStep }
    ended += 1
    return .none
  }

  /// A sync result has come.
  mutating func receivedSync() -> Action {
    guard !isEmpty, ended == segments[front] else { return .outOfStep }
    ended = 0
    hasFailedSync = false
    front += 1
    if front == segments.count {
      segments.removeAll(keepingCapacity: true)
      front = 0
    } else if front == Self.keptSegments {
      // A connection that is never idle must not keep segments that are over for ever.
      segments.removeFirst(front)
      front = 0
    }
    return .completeSegment
  }
}
