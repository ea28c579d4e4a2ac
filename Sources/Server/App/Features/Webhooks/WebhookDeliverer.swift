internal import EventLoop
internal import Postgres
internal import Synchronization

/// Delivers the changes of all apps to their endpoints, as long as this instance has the lease. One
/// of all instances has the lease, which is in the database, and the others look now and then
/// whether it is free. A service without endpoints asks one short question every few seconds, and
/// nothing else.
final class WebhookDeliverer: Sendable {
  /// The name of the lease, which one instance has at a time.
  static let lease: StaticString = "webhooks"

  private struct State {
    var context: LoopContext?
    var alarm: DeliveryAlarm?
    var isStopping = false
    var ended: [UnsafeContinuation<Void, Never>] = []
    var isRunning = false
  }
  private let state = Mutex(State())
  private let sender: WebhookSender
  private let metrics: WebhookMetrics

  init(_ sender: WebhookSender, _ metrics: WebhookMetrics) {
    self.sender = sender
    self.metrics = metrics
  }

  private var isStopping: Bool { state.withLock { $0.isStopping } }

  /// Begins to deliver, on the context's loop.
  func start(on context: LoopContext) {
    context.loop.execute { [self] in
      let alarm = DeliveryAlarm(context.loop)
      let begins = state.withLock { state in
        guard !state.isStopping, !state.isRunning else { return false }
        state.isRunning = true
        (state.context, state.alarm) = (context, alarm)
        return true
      }
      guard begins else { return alarm.close() }
      await run(context, alarm)
      alarm.close()
      let waiting = state.withLock { state in
        state.isRunning = false
        (state.context, state.alarm) = (nil, nil)
        return state.ended
      }
      for continuation in waiting { continuation.resume() }
    }
  }

  /// Wakes the task when there is something to deliver, or no longer anything; from any loop.
  func wake() {
    let (context, alarm) = state.withLock { ($0.context, $0.alarm) }
    guard let context, let alarm else { return }
    context.loop.execute { alarm.ring() }
  }

  /// Ends the deliveries. Attempts that are not over soon go out again from another instance, or at
  /// the next start.
  func stop() async {
    state.withLock { $0.isStopping = true }
    wake()
    await withUnsafeContinuation { continuation in
      let isOver = state.withLock { state in
        guard state.isRunning else { return true }
        state.ended.append(continuation)
        return false
      }
      if isOver { continuation.resume() }
    }
    sender.close()
  }

  private func run(_ context: LoopContext, _ alarm: DeliveryAlarm) async {
    while !isStopping {
      do {
        if try await context.database.read(.anyWebhook()).first == true {
          _ = try await context.database.exclusively(
            lease: "\(Self.lease)", waits: false,
            answerNanoseconds: context.database.answerNanoseconds
          ) { exclusive in
            let session = DeliverySession(
              exclusive, shared: context.shared, loop: context.loop, alarm: alarm, sender: sender,
              metrics: metrics)
            defer { session.end() }
            try await session.work(isStopping: { isStopping })
          }
        }
      } catch  where !isStopping {
        metrics.interrupted(error)
      } catch {}
      if isStopping { return }
      await alarm.wait(nanoseconds: Limits.webhookIdleNanoseconds)
    }
  }
}
