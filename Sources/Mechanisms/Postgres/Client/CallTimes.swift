/// When the call began that a task serves, in nanoseconds of the monotonic clock.
///
/// All waits of a call take from one limit: of five seconds, a call that read for three has two
/// left to commit. Work of no call, such as tidying, has the whole limit for each wait.
public enum CallStart {
  /// `nil` for work of no call.
  @TaskLocal public static var nanoseconds: UInt64?
}

/// Within how long a call of a client is answered or fails. Example, for five seconds: after 4 the
/// server ends a statement, so that its connection survives; after 4.5 a connection that still owes
/// an answer is given up; after 5 a call fails that still waits.
struct CallTimes {
  /// The time for the whole call.
  var answerNanoseconds: UInt64

  /// The time for a connection that owes an answer.
  var silenceNanoseconds: UInt64 { answerNanoseconds / 10 * 9 }

  /// The time for the server, as `statement_timeout`: a setting of PostgreSQL holds no more than an
  /// `Int32`.
  var statementMilliseconds: Int32 {
    Int32(clamping: max(1, answerNanoseconds / 10 * 8 / 1_000_000))
  }
}
