/// A thing as a single client sees it that calls one operation after the other: what concurrent
/// calls of the real thing are compared with.
protocol SequentialModel {
  /// All that later answers depend on.
  associatedtype State: Hashable
  /// What a client asks for.
  associatedtype Operation
  /// What a client is told.
  associatedtype Answer

  /// The states in which an operation may leave the thing.
  /// - Parameter answer: What the client was told; `nil` when the answer is lost, and every state
  ///   counts that the operation can lead to.
  /// - Returns: None when the operation cannot be answered so in this state.
  func states(after operation: Operation, in state: State, answered answer: Answer?) -> [State]

  /// Whether an operation that was answered so leaves every state as it is in which it can be
  /// answered so.
  /// - Parameter answer: `nil` when the answer is lost.
  func changesNothing(_ operation: Operation, answered answer: Answer?) -> Bool
}

/// One call of a history.
struct HistoryOperation<Operation, Answer> {
  /// What was asked for.
  var operation: Operation
  /// What was told; `nil` when the answer is lost: the operation takes effect at any time after its
  /// call, or never.
  var answer: Answer?
  /// When it was called, in any unit.
  var call: UInt64
  /// When the answer was there; the end of time when it is lost.
  var end: UInt64

  /// A call that was answered.
  init(_ operation: Operation, answered answer: Answer, call: UInt64, end: UInt64) {
    self.operation = operation
    self.answer = answer
    self.call = call
    self.end = end
  }

  /// A call whose answer is lost.
  init(_ operation: Operation, call: UInt64) {
    self.operation = operation
    self.call = call
    end = .max
  }

  /// The call without its answer.
  var withoutAnswer: Self { Self(operation, call: call) }
}
