public import EventLoop

/// What a listener of the database hears.
public enum DatabaseNotice: Sendable, Hashable {
  /// Listening has begun, or begun again after a break: anything may have changed meanwhile.
  case listening
  /// Listening has ended, or did not begin: until it does, nothing is told. It comes again with
  /// each attempt, every few seconds.
  case interrupted
  /// `NOTIFY` on the channel, with its payload.
  case notified(payload: String)
}

/// Listens on one channel until the task is cancelled or the loop ends, over breaks of the
/// connection.
public func listen(
  _ address: DatabaseAddress, channel: StaticString, loop: EventLoop,
  observe: @escaping @Sendable (PostgresEvent) -> Void = { _ in },
  onNotice: (DatabaseNotice) async -> Void
) async {
  let subscription = Subscription(address, channel: "\(channel)", loop: loop)
  await withTaskCancellationHandler {
    await subscription.follow(observe: observe, onNotice: onNotice)
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
    observe: (PostgresEvent) -> Void, onNotice: (DatabaseNotice) async -> Void
  ) async {
    var backoff = Limits.firstBackoffNanoseconds
    while !isCancelled {
      let session = Session(loop: loop)
      self.session = session
      var isListening = false
      do throws(PostgresError) {
        try await session.open(address, within: Limits.connectEachNanoseconds)
        try await session.run("LISTEN \(channel)")
        isListening = true
        backoff = Limits.firstBackoffNanoseconds
        await onNotice(.listening)
        while !isCancelled {
          await onNotice(.notified(payload: try await session.nextNotification().payload))
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
