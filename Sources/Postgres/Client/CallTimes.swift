/// Within how long a call of a client is answered or fails, and what follows from it, in this
/// order: the server ends a statement, so that its connection survives; a connection on which an
/// answer is late is given up; and a call that waits for a connection fails. So the whole is kept
/// even when the first two take their time.
struct CallTimes {
  /// For the whole.
  var answerNanoseconds: UInt64

  /// For a connection that owes an answer.
  var silenceNanoseconds: UInt64 { answerNanoseconds / 10 * 9 }

  /// For the server, as `statement_timeout`, which holds no more than this.
  var statementMilliseconds: Int32 {
    Int32(clamping: max(1, answerNanoseconds / 10 * 8 / 1_000_000))
  }
}
