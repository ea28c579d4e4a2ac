import Foundation

/// Brings each payload to those who handle it.
///
/// - **By message type**: one processor for each, a ``MessageProcessor`` or a closure.
/// - **All payloads**: objects, held weakly, each of which says whether a payload is for it.
/// - **To look on**: ``payloads``, a stream for each consumer.
///
/// A payload goes to the processor of its type and to all objects at the same time. One that nobody
/// handled is kept, and offered to each who registers later: at launch a payload may arrive before
/// them. Of more than 32 the oldest is dropped. Payloads that were kept come in their order.
///
/// Everything may be called from any thread, and nothing waits but ``route(_:in:)``:
///
/// ```swift
/// func application(
///   _ application: UIApplication, didReceiveRemoteNotification userInfo: [AnyHashable: Any]
/// ) async -> UIBackgroundFetchResult {
///   let outcome = await router.route(RemotePayload(userInfo: userInfo))
///   if !outcome.isHandled { print("unknown:", outcome.messageType ?? "-") }
///   return UIBackgroundFetchResult(outcome.result)
/// }
/// ```
public final class MessageRouter: Sendable {
  private let messageType: @Sendable (RemotePayload) -> String?
  private let seconds: TimeInterval
  private let sleep: Deadline.Sleep
  private let table = Guarded(RoutingTable())
  private let streams = Streams<RemotePayload>(kept: ReceivingLimits.streamedPayloads)

  /// A router that finds the message type under a key.
  ///
  /// - Parameters:
  ///   - key: the app's `message_type_key`.
  ///   - seconds: the time for each payload: 25 unless given, of the 30 that the system gives.
  public convenience init(
    messageTypeKey key: String = "messageType", within seconds: TimeInterval = 25
  ) {
    self.init(within: seconds) { $0.messageType(key: key) }
  }

  /// A router that asks the app for the message type.
  ///
  /// - Parameters:
  ///   - seconds: the time for each payload: 25 unless given, of the 30 that the system gives.
  ///   - messageType: names the message type of a payload; `nil` if it has none.
  public convenience init(
    within seconds: TimeInterval = 25, messageType: @escaping @Sendable (RemotePayload) -> String?
  ) {
    self.init(within: seconds, sleep: Deadline.sleep, messageType: messageType)
  }

  /// A router whose clock is given.
  init(
    within seconds: TimeInterval, sleep: @escaping Deadline.Sleep,
    messageType: @escaping @Sendable (RemotePayload) -> String?
  ) {
    self.seconds = seconds
    self.sleep = sleep
    self.messageType = messageType
  }

  /// Registers a processor for its message type, in place of an earlier one for it.
  public func register<Processor: MessageProcessor>(_ type: Processor.Type) {
    register(Processor.messageType) { payload in
      guard let processor = try? Processor(payload: payload) else { return .failed }
      return await processor.process()
    }
  }

  /// Registers a closure for a message type, in place of an earlier processor for it.
  ///
  /// - Parameters:
  ///   - messageType: the message type, as the payload names it.
  ///   - process: processes a payload.
  public func register(
    _ messageType: String, _ process: @escaping @Sendable (RemotePayload) async -> FetchResult
  ) {
    deliver(table.withLock { $0.register(messageType) { await process($0) } })
  }

  /// Forgets the processor for a message type. A payload that it is at work on is finished.
  public func unregister(_ messageType: String) {
    table.withLock { $0.unregister(messageType) }
  }

  /// Adds an object that is offered every payload. It is held weakly: when nobody else holds it, it
  /// is no longer asked. Adding it again changes nothing.
  public func add(_ handler: any RemotePayloadHandler) {
    deliver(table.withLock { $0.add(handler) })
  }

  /// Removes an object. A payload that it is at work on is finished.
  public func remove(_ handler: any RemotePayloadHandler) {
    table.withLock { $0.remove(handler) }
  }

  /// A stream of all payloads that are routed from now on; each call makes one of its own.
  ///
  /// Who reads it looks on: that does not count as handling. 32 payloads wait for a slow consumer,
  /// then the oldest is dropped. The stream ends with the router.
  public var payloads: AsyncStream<RemotePayload> { streams.stream() }

  /// How many payloads are kept because nobody has handled them: 0 to 32.
  public var keptCount: Int { table.withLock(\.keptCount) }

  /// Brings a payload to those who handle it, and waits for all of them; when the time for the
  /// payload ends, it waits no longer.
  ///
  /// Who is still at work then is cancelled and counts as ``FetchResult/failed``. The payload is
  /// not offered to others: it was taken.
  ///
  /// - Parameters:
  ///   - payload: the payload.
  ///   - state: the state of the app, which processors and handlers find in
  ///     ``ApplicationState/current``; that of the caller unless given.
  /// - Returns: whether anybody handled it, and the results of all, combined.
  @discardableResult
  public func route(
    _ payload: RemotePayload, in state: ApplicationState? = ApplicationState.current
  ) async -> RoutingOutcome {
    let messageType = messageType(payload)
    let parcel = table.withLock { $0.parcel(payload, messageType: messageType) }
    streams.yield(payload)
    return await ApplicationState.$current.withValue(state) { await route(parcel) }
  }

  /// Offers a parcel until somebody handles it, or the time ends; if nobody did, it is kept.
  private func route(_ parcel: RoutingTable.Parcel) async -> RoutingOutcome {
    let deadline = Deadline(in: seconds, sleep: sleep)
    defer { deadline.cancel() }
    var outcome = RoutingOutcome(
      messageType: parcel.messageType, isHandled: false, result: .noData)
    var parcel = parcel
    while case .offer(let handles, let offered) = table.withLock({ $0.next(parcel) }) {
      let payload = parcel.payload
      let answers = await deadline.results(
        of: handles.map { handle in { @Sendable in await handle(payload) } })
      outcome.isLate = answers.contains { $0 == nil }
      // Who was not done in time has failed; who answered `nil` has declined.
      let results = answers.compactMap { $0 ?? .failed }
      outcome.isHandled = !results.isEmpty
      outcome.result = .combined(results)
      if outcome.isHandled { break }
      parcel = offered
    }
    return outcome
  }

  /// Routes what was kept, one after the other.
  private func deliver(_ parcels: [RoutingTable.Parcel]) {
    guard !parcels.isEmpty else { return }
    Task {
      // The state of the app that they arrived in is over.
      await ApplicationState.$current.withValue(nil) {
        for parcel in parcels { _ = await route(parcel) }
      }
    }
  }
}
