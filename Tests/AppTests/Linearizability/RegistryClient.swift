import AppTesting
import Dispatch
import Foundation
import TestSupport

/// A client of the service under test: calls one operation after the other, and notes what it was
/// told and when. Blocks its thread.
struct RegistryClient {
  let number: Int
  let port: UInt16
  let app: RegistryApp
  let segment: RegistrySegment
  /// Draws the calls whose answer it does not wait for.
  var random: SplitMix64
  /// Whether the service does not come back.
  let isGivenUp: @Sendable () -> Bool

  private(set) var calls: [RegistryCall] = []
  /// How often what was answered.
  private(set) var statuses: [String: Int] = [:]
  private var wire: Wire?
  private var lastSeen: [Int: String] = [:]

  /// The client did not wait for the answer.
  private struct Abandoned: Error {}

  /// One answer of so many is not waited for.
  private static let abandonedCalls = 200
  /// Microseconds until the next attempt, when the service cannot be reached or has no time.
  private static let pause: UInt32 = 5_000

  init(
    _ number: Int, port: UInt16, app: RegistryApp, segment: RegistrySegment, seed: UInt64,
    isGivenUp: @escaping @Sendable () -> Bool
  ) {
    self.number = number
    self.port = port
    self.app = app
    self.segment = segment
    random = SplitMix64(seed: seed)
    self.isGivenUp = isGivenUp
  }

  /// Calls operations in their order.
  mutating func run(_ plan: [RegistryOperation]) {
    for operation in plan {
      let operation = operation.resolved(lastSeen)
      while !isGivenUp(), !call(operation) { usleep(Self.pause) }
    }
  }

  /// - Returns: `false` when the service has certainly not taken it, so that it is called again.
  private mutating func call(_ operation: RegistryOperation) -> Bool {
    guard let open = wire ?? (try? Wire(port: port)) else { return false }
    wire = open
    var call = RegistryCall(
      client: number, operation: operation, call: DispatchTime.now().uptimeNanoseconds)
    let reply: Reply
    do {
      try open.send(operation.request(in: segment, app))
      if random.below(Self.abandonedCalls) == 0 { throw Abandoned() }
      reply = try open.receive()
    } catch {
      wire = nil
      if !(error is Abandoned) { call.broken = DispatchTime.now().uptimeNanoseconds }
      calls.append(call)
      count("lost")
      return true
    }
    let end = DispatchTime.now().uptimeNanoseconds
    let answer = RegistryAnswer(reply, to: operation)
    count([answer.code ?? answer.decision, "\(answer.status)"].compactMap { $0 }.first ?? "")
    // A flood is refused before anything is looked at.
    if answer.status == 429, answer.code != "token_takeovers_exceeded" { return false }
    if answer.shown != nil { lastSeen[operation.installation] = answer.tag }
    if Self.isUncertain(answer, operation) {
      call.broken = end
    } else {
      call.answer = (answer, end)
    }
    calls.append(call)
    if answer.status >= 500 { usleep(Self.pause) }
    return true
  }

  private mutating func count(_ answer: String) { statuses[answer, default: 0] += 1 }

  /// Whether what was asked for may have happened all the same.
  private static func isUncertain(_ answer: RegistryAnswer, _ operation: RegistryOperation) -> Bool
  {
    // Feedback that took a token out of use may have been outrun when it put it back.
    if case .feedback = operation.action, answer.isOutrun { return true }
    return answer.status >= 500
  }
}
