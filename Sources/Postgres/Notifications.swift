public import EventLoop

/// What a listener of the database hears.
public enum DatabaseNotice: Sendable, Hashable {
  /// Listening has begun, or begun again after a break: anything may have changed meanwhile.
  case listening
  /// `NOTIFY` on the channel, with its payload.
  case notified(payload: String)
}

/// Listens on one channel until the task is cancelled or the loop ends, over breaks of the
/// connection.
public func listen(
  _ conninfo: String, channel: StaticString, loop: EventLoop,
  observe: @escaping @Sendable (PostgresEvent) -> Void = { _ in },
  onNotice: (DatabaseNotice) async -> Void
) async {
  var backoff = Limits.firstBackoffNanoseconds
  while !Task.isCancelled {
    let session = Session(loop: loop)
    do throws(PostgresError) {
      try await session.open(conninfo)
      try await session.run("LISTEN \(channel)")
      backoff = Limits.firstBackoffNanoseconds
      await onNotice(.listening)
      while true {
        await onNotice(.notified(payload: try await session.nextNotification().payload))
      }
    } catch {
      observe(.connectFailed(error, retryAfterNanoseconds: backoff))
    }
    session.close()
    await loop.sleep(nanoseconds: backoff)
    backoff = min(backoff * 2, Limits.longestBackoffNanoseconds)
  }
}
