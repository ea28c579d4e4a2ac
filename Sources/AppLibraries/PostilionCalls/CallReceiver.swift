import Foundation
import PostilionClient

/// Reports a call for every payload of PushKit, as the system demands: it ends an app that does
/// not, and later stops its calls (docs/apple.md 9.1).
///
/// One receiver serves the app as long as it runs; it remembers the last calls and withdrawals. A
/// call that is over, was withdrawn, or cannot be read is reported, too, and ended at once. From
/// iOS 26.4 on the system says of some payloads that they need no report: then such a call is not
/// shown at all.
///
/// ```swift
/// func pushRegistry(
///   _ registry: PKPushRegistry, didReceiveIncomingPushWith payload: PKPushPayload,
///   for type: PKPushType, completion: @escaping () -> Void
/// ) {
///   receiver.receive(payload.dictionaryPayload) { call, fate in
///     provider.report(call, fate)
///   } completion: {
///     completion()
///   }
/// }
/// ```
public final class CallReceiver: Sendable {
  private let ringSeconds: TimeInterval
  private let read: @Sendable (RemotePayload) -> IncomingCall
  private let now: @Sendable () -> Date
  private let ledger = Guarded(CallLedger())

  /// A receiver.
  ///
  /// - Parameters:
  ///   - ringSeconds: how long after its beginning a call is over.
  ///   - now: the clock, whose time is compared with that of the server; that of the registration
  ///     unless given, as a phone may be minutes ahead.
  ///   - read: reads the call of a payload, for an app that has members of its own for that.
  public init(
    ringSeconds: TimeInterval = 60,
    now: @escaping @Sendable () -> Date = { Postilion.shared.serverTime },
    read: @escaping @Sendable (RemotePayload) -> IncomingCall = { IncomingCall($0) }
  ) {
    self.ringSeconds = ringSeconds
    self.now = now
    self.read = read
  }

  /// Reports the call of a payload.
  ///
  /// - Parameters:
  ///   - payload: the payload, whatever it is.
  ///   - mustReport: what the system says of the payload: `mustReport` of `PKVoIPPushMetadata`, or
  ///     `true` before iOS 26.4.
  ///   - report: reports the call to the system, and ends it if its fate says so. It is called
  ///     once, before this returns and before `completion`; not at all for a call that would be
  ///     ended at once and need not be reported, unless the payload withdraws one that has come.
  ///   - completion: called exactly once, after `report`, before this returns.
  public func receive(
    _ payload: RemotePayload, mustReport: Bool = true, report: (IncomingCall, CallFate) -> Void,
    completion: () -> Void = {}
  ) {
    let call = read(payload)
    let (reported, fate, mustEnd) = ledger.withLock {
      $0.receive(payload, call, now: now(), ringSeconds: ringSeconds)
    }
    if mustReport || !fate.ends || mustEnd { report(reported, fate) }
    completion()
  }

  /// Reports the call of a payload as PushKit hands it over, its `dictionaryPayload`.
  ///
  /// - Parameters:
  ///   - userInfo: the payload, whatever it is.
  ///   - mustReport: as of ``receive(_:mustReport:report:completion:)-(RemotePayload,_,_,_)``.
  ///   - report: as of ``receive(_:mustReport:report:completion:)-(RemotePayload,_,_,_)``.
  ///   - completion: as of ``receive(_:mustReport:report:completion:)-(RemotePayload,_,_,_)``.
  public func receive(
    _ userInfo: [AnyHashable: Any], mustReport: Bool = true,
    report: (IncomingCall, CallFate) -> Void, completion: () -> Void = {}
  ) {
    receive(
      RemotePayload(userInfo: userInfo), mustReport: mustReport, report: report,
      completion: completion)
  }

  /// Withdraws a call that was told of in another way, such as by a silent notification: when it
  /// comes after all, it is ended at once.
  ///
  /// - Parameter id: the identifier of the call, or of its message.
  /// - Returns: the UUID of the call; an app that lets it ring ends it.
  @discardableResult
  public func withdraw(_ id: String) -> UUID {
    ledger.withLock { $0.withdraw(id) }
  }
}
