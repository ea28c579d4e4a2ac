import EventLoop
import Foundation
import TestSupport
import Testing

@testable import Postgres

/// Connections that end in the middle of answers: whatever the server had said by then, each call
/// is answered once, with its own row or with a failure, and none is called done before its Sync
/// was answered.
///
/// libpq and ``PipelineConnection`` are the real ones. `make pipeline-cuts` cuts a million
/// connections, `POSTILION_PIPELINE_CUTS` is their number, and `POSTILION_PIPELINE_CUTS_SEED` cuts
/// the same again.
@Suite(.timeLimit(.minutes(60))) struct PipelineCutTests {
  @Test func eachCallHasItsOwnRowOrAFailure() async throws {
    let cuts = environmentNumber("POSTILION_PIPELINE_CUTS", 1000)
    let seed = environmentNumber("POSTILION_PIPELINE_CUTS_SEED", .random(in: 0..<1_000_000))
    print("pipeline cuts: POSTILION_PIPELINE_CUTS_SEED=\(seed)")
    let workers = 2
    let tallies = try await withThrowingTaskGroup(of: CutTally.self) { group in
      for worker in 0..<workers {
        group.addTask {
          let server = try CutServer(seed: UInt64(seed * workers + worker))
          defer { server.stop() }
          return try await withLoop { loop in
            var client = CutClient(
              server, loop, SplitMix64(seed: UInt64(seed * workers + worker) ^ 0xC11E))
            while client.tally.cut < cuts / workers { try await client.runConnection() }
            return client.tally
          }
        }
      }
      return try await group.reduce(into: CutTally()) { $0.add($1) }
    }
    print("pipeline cuts: \(tallies)")
    #expect(tallies.violations.isEmpty, "\(tallies.violations.prefix(20))")
    // All of it was seen.
    #expect(tallies.cut > 0 && tallies.rows > 0 && tallies.refused > 0 && tallies.lost > 0)
  }

  /// The check is worth what it finds.
  @Test func aRowOfAnotherCallIsFound() {
    let call = CutCall(5)
    call.answers = 1
    call.execution.fail(PostgresError(.server(sqlState: "22012"), "statement 3"))
    #expect(CutClient.complaint(about: call, in: [call], confirmed: []) != nil)
    let twice = CutCall(5)
    twice.execution.fail(PostgresError(.disconnected, "cut"))
    twice.answers = 2
    #expect(CutClient.complaint(about: twice, in: [twice], confirmed: []) != nil)
  }
}

/// What happened to the calls of many connections.
struct CutTally: CustomStringConvertible, Sendable {
  var connections = 0
  /// Connections that ended before all was answered.
  var cut = 0
  var rows = 0
  var refused = 0
  var lost = 0
  var violations: [String] = []

  var description: String {
    "\(connections) connections, \(cut) cut; \(rows) calls with their row, \(refused) refused, "
      + "\(lost) lost with their connection; \(violations.count) violations"
  }

  mutating func add(_ other: CutTally) {
    connections += other.connections
    cut += other.cut
    rows += other.rows
    refused += other.refused
    lost += other.lost
    violations += other.violations
  }
}

/// A call and how often it was answered.
final class CutCall {
  let number: Int32
  let execution: TypedExecution<Int32?>
  var answers = 0

  init(_ number: Int32) {
    self.number = number
    execution = TypedExecution(Echo(value: number))
  }
}

/// Calls over connections of a ``CutServer``, in segments of any size, sent while answers of others
/// are under way.
struct CutClient {
  private let server: CutServer
  private let loop: EventLoop
  private var random: SplitMix64
  private var nextNumber: Int32 = 0
  private(set) var tally = CutTally()

  init(_ server: CutServer, _ loop: EventLoop, _ random: SplitMix64) {
    self.server = server
    self.loop = loop
    self.random = random
  }

  /// Counts segments that are not answered.
  private final class Outstanding {
    var count = 0
    var waiter: UnsafeContinuation<Void, Never>?

    func end() {
      count -= 1
      if count == 0 { waiter.take()?.resume() }
    }

    func wait() async {
      if count > 0 { await withUnsafeContinuation { waiter = $0 } }
    }
  }

  /// Opens a connection, sends calls until they are all answered or the connection is cut, and
  /// looks at the answers.
  mutating func runConnection() async throws {
    let connection = PipelineConnection(loop: loop, CallTimes(answerNanoseconds: .max))
    try await connection.open(try server.address)
    var reason: PostgresError?
    connection.onLost = { reason = $0 }
    let outstanding = Outstanding()
    var segments: [[CutCall]] = []
    for _ in 0..<(1 + random.below(12)) {
      let calls = makeCalls()
      segments.append(calls)
      outstanding.count += 1
      connection.send(
        Segment(calls.map(\.execution), since: 0) {
          for call in calls { call.answers += 1 }
          outstanding.end()
        })
      switch random.below(4) {
      case 0: connection.flush()
      case 1:
        connection.flush()
        await outstanding.wait()
      case 2 where random.below(8) == 0:
        // The callers have waited long enough.
        connection.fail(before: 1, PostgresError(.disconnected, "no answer in time"))
      default: break
      }
    }
    connection.flush()
    await outstanding.wait()
    tally.connections += 1
    if let reason {
      tally.cut += 1
      if reason.message.contains("nothing had asked for") { tally.violations.append("\(reason)") }
    }
    connection.lose(PostgresError(.disconnected, "closed"))
    judge(segments, confirmed: server.confirmed)
  }

  private mutating func makeCalls() -> [CutCall] {
    (0..<(1 + random.below(4))).map { _ in
      nextNumber = (nextNumber + 1 + Int32(random.below(3))) & 0xFF_FFFF
      return CutCall(nextNumber)
    }
  }

  private mutating func judge(_ segments: [[CutCall]], confirmed: Set<Int32>) {
    for calls in segments {
      for call in calls {
        if let complaint = Self.complaint(about: call, in: calls, confirmed: confirmed) {
          tally.violations.append("call \(call.number): \(complaint)")
        }
        switch call.execution.outcome {
        case .completed: tally.rows += 1
        case .failed(let error) where error.code == .disconnected: tally.lost += 1
        default: tally.refused += 1
        }
      }
    }
  }

  /// What is wrong with how a call ended.
  static func complaint(
    about call: CutCall, in segment: [CutCall], confirmed: Set<Int32>
  ) -> String? {
    guard call.answers == 1 else { return "answered \(call.answers) times" }
    switch call.execution.outcome {
    case nil: return "no outcome"
    case .completed:
      guard call.execution.rows == [call.number] else { return "rows \(call.execution.rows)" }
      return confirmed.contains(call.number) ? nil : "done before its Sync was answered"
    case .skipped:
      let others = segment.prefix { $0 !== call }
      return others.contains { CutServer.Fate($0.number) == .error } ? nil : "skipped"
    case .failed(let error):
      switch error.sqlState {
      case nil: return error.code == .disconnected ? nil : "\(error)"
      case "22012": return error.message == "statement \(call.number)" ? nil : "\(error)"
      case "40001":
        return segment.contains { error.message == "commit of \($0.number)" } ? nil : "\(error)"
      default: return "\(error)"
      }
    }
  }
}
