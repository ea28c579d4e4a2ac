import Foundation
import PostilionClient

/// Which calls have come, and which identifiers were withdrawn, in whatever order: a withdrawal may
/// overtake its call.
struct CallLedger {
  /// The calls by each of their identifiers, the oldest first.
  private var calls: [(id: String, uuid: UUID)] = []
  /// The identifiers that were withdrawn, the oldest first.
  private var withdrawn: [String] = []

  /// What becomes of the call that a payload announces, or withdraws.
  ///
  /// A payload that withdraws is reported as the call that it ends; if that one rings, the system
  /// ends it, and if it has never come, nothing is heard.
  /// - Returns: with the call also whether the payload withdraws one that has come. That one may
  ///   ring, and must be ended.
  mutating func receive(
    _ payload: RemotePayload, _ call: IncomingCall, now: Date, ringSeconds: TimeInterval
  ) -> (call: IncomingCall, fate: CallFate, mustEnd: Bool) {
    if let id = payload.withdraws {
      var call = call
      call.uuid = withdraw(id)
      call.id = id
      return (call, .endWithdrawn, calls.contains { $0.id == id })
    }
    let ids = [call.id, payload.id].compactMap { $0 }
    for id in ids { remember(id, call.uuid) }
    if ids.contains(where: withdrawn.contains) { return (call, .endWithdrawn, false) }
    if call.isOver(at: now, after: ringSeconds) { return (call, .endStale, false) }
    return (call, call.isReadable ? .ring : .endUnreadable, false)
  }

  /// Remembers that a call was withdrawn.
  ///
  /// - Returns: the UUID of the call, whether it has come or not.
  mutating func withdraw(_ id: String) -> UUID {
    withdrawn.removeAll { $0 == id }
    withdrawn.append(id)
    if withdrawn.count > CallLimits.rememberedCalls { withdrawn.removeFirst() }
    return calls.last { $0.id == id }?.uuid ?? UUID(postilionName: id)
  }

  private mutating func remember(_ id: String, _ uuid: UUID) {
    calls.removeAll { $0.id == id }
    calls.append((id, uuid))
    if calls.count > CallLimits.rememberedCalls { calls.removeFirst() }
  }
}
