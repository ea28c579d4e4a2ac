public import EventLoop

/// What a listener of the database hears.
public enum DatabaseNotice: Sendable, Hashable {
  /// Listening has begun, or begun again after a break: anything may have changed meanwhile.
  case listening
  /// Listening has ended, or did not begin: until it begins, nothing is told. This notice comes
  /// again with each attempt, every few seconds.
  case interrupted
  /// `NOTIFY` on the channel, with its payload.
  case notified(payload: String)
}

/// Listens on one channel until the task is cancelled or the loop ends, over breaks of the
/// connection.
///
/// A server process that hangs tells nothing, and its connection does not break. So the process is
/// asked for the time every few seconds; a process that does not answer is left for another.
/// - Parameter onTime: Gets the database's time, and when it was asked for by the clock that never
///   jumps.
public func listen(
  _ address: DatabaseAddress, channel: StaticString, loop: EventLoop,
  observe: @escaping @Sendable (PostgresEvent) -> Void = { _ in },
  onTime: (Timestamp, UInt64) -> Void = { _, _ in },
  onNotice: (DatabaseNotice) async -> Void
) async {
  let subscription = Subscription(address, channel: "\(channel)", loop: loop)
  await withTaskCancellationHandler {
    await subscription.follow(observe: observe, onTime: onTime, onNotice: onNotice)
  } onCancel: {
    loop.execute { subscription.cancel() }
  }
}

/// One listener's connection, made again whenever it breaks.
private final class Subscription: @unchecked Sendable {
  private let address: DatabaseAddress
  private let channel: String
  private let loop: EventLoop
  private var session: Session?
  private var isCancelled = false

  init(_ address: DatabaseAddress, channel: String, loop: EventLoop) {
    self.address = address
    self.channel = channel
    self.loop = loop
  }

  /// On the loop, as everything here; a wait for a notification ends.
  func cancel() {
    isCancelled = true
    session?.close()
  }

  func follow(
    observe: (PostgresEvent) -> Void, onTime: (Timestamp, UInt64) -> Void,
    onNotice: (DatabaseNotice) async -> Void
  ) async {
    var backoff = Limits.firstBackoffNanoseconds
    while !isCancelled {
      let session = Session(loop: loop)
      self.session = session
      var isListening = false
      do throws(PostgresError) {
        try await session.open(address, within: Limits.connectEachNanoseconds)
        session.silenceNanoseconds = Limits.listenerSilenceNanoseconds
        try await session.listen(channel, onTime)
        isListening = true
        backoff = Limits.firstBackoffNanoseconds
        await onNotice(.listening)
        while !isCancelled {
          let nextQuestion = loop.deadline(in: Limits.listenerPauseNanoseconds)
          while !isCancelled, let notice = try await session.nextNotification(until: nextQuestion) {
            await onNotice(.notified(payload: notice.payload))
          }
          try await session.listen(channel, onTime)
        }
      } catch {
        guard !isCancelled else { break }
        observe(
          isListening
            ? .disconnected(error) : .connectFailed(error, retryAfterNanoseconds: backoff))
      }
      session.close()
      guard !isCancelled else { break }
      await onNotice(.interrupted)
      await loop.sleep(nanoseconds: backoff)
      backoff = min(backoff * 2, Limits.longestBackoffNanoseconds)
    }
    session?.close()
    session = nil
  }
}

extension Session {
  /// Begins to listen, or makes sure that it does, and asks for the database's time.
  fileprivate func listen(
    _ channel: String, _ onTime: (Timestamp, UInt64) -> Void
  ) async throws(PostgresError) {
    let asked = Monotonic.now()
    let rows = try await run("LISTEN \(channel); \(DatabaseTime.sql)")
    if let text = rows.first?.first ?? nil, let microseconds = Int64(text) {
      onTime(Timestamp(microseconds: microseconds), asked)
    }
  }
}

/// Asks for the database's time.
public struct DatabaseTime: Statement {
  /// The time at which it runs, in microseconds since 1970.
  public static let sql = "SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint"

  /// Asks nothing else.
  public init() {}

  /// The time.
  public static func decode(_ row: inout RowReader) throws(PostgresError) -> Timestamp {
    Timestamp(microseconds: try row.next())
  }
}
