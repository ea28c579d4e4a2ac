import AppTesting
import Foundation
import Synchronization
import Testing

/// Many segments, some at a time, against the real program over real sockets, which is killed and
/// whose database connections are cut meanwhile; each history is checked when its segment is over.
final class LinearizabilityCampaign: Sendable {
  /// What was done, and what came of it.
  struct Tally: Sendable, CustomStringConvertible {
    var operations = 0
    var lost = 0
    var segments = 0
    var undecided = 0
    /// The histories that nothing explains, for people to read.
    var violations: [String] = []
    var kills = 0
    var cuts = 0
    /// How often what was answered.
    var statuses: [String: Int] = [:]

    var description: String {
      """
      \(operations) operations in \(segments) segments, \(kills) kills, \(cuts) cuts of the \
      database, \(lost) answers lost, \(undecided) undecided, \(violations.count) violations
      """
    }

    /// How often what was answered, in one line.
    var answers: String {
      statuses.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }.joined(separator: ", ")
    }
  }

  private let server: MortalServer
  private let database: ScratchDatabase
  private let port: UInt16
  private let seed: UInt64
  /// Operations to do, and how many of them go between two faults; with none there are no faults.
  private let operations: Int
  private let operationsPerFault: Int?
  private let tally = Mutex(Tally())
  private let isGivenUp = Atomic(false)

  /// Segments at a time: enough that no core waits, also for the disk.
  private static let lanes = 16
  private static let apps = 4
  /// All clients have one address, and few keys and names.
  static let settings = [
    "POSTILION_LIMIT_ADDRESS": "off", "POSTILION_LIMIT_ADDRESS_GROWTH": "off",
    "POSTILION_LIMIT_KEY": "off", "POSTILION_LIMIT_KEY_GROWTH": "off",
    "POSTILION_LIMIT_INSTALLATION": "off",
  ]

  /// Violations whose histories are shrunk and shown; more would tell the same.
  private static let shownViolations = 2
  /// After so many faults the tables are vacuumed and counted, as the scratch cluster does neither.
  private static let faultsPerVacuum = 10

  init(
    _ server: MortalServer, _ database: ScratchDatabase, seed: Int, operations: Int,
    operationsPerFault: Int?
  ) {
    self.server = server
    self.database = database
    self.seed = UInt64(truncatingIfNeeded: seed)
    self.operations = operations
    self.operationsPerFault = operationsPerFault
    port = UInt16(server.url.port ?? 0)
  }

  /// Does all of it.
  func run() async throws -> Tally {
    try await withThrowingTaskGroup(of: Void.self) { group in
      var apps: [RegistryApp] = []
      for number in 0..<Self.apps { apps.append(try await makeApp("app-\(number)")) }
      for lane in 0..<Self.lanes {
        let app = apps[lane % Self.apps]
        group.addTask { [self] in try await run(lane, app) }
      }
      group.addTask { [self] in
        do {
          try await makeFaults()
        } catch {
          isGivenUp.store(true, ordering: .relaxed)
          throw error
        }
      }
      try await group.waitForAll()
    }
    return tally.withLock { $0 }
  }

  private var isOver: Bool {
    isGivenUp.load(ordering: .relaxed) || tally.withLock { $0.operations >= operations }
  }

  // MARK: Segments

  private func run(_ lane: Int, _ app: RegistryApp) async throws {
    var number = UInt64(lane)
    while !isOver {
      let seed = seed &* 1_000_003 &+ number
      let segment = RegistrySegment(seed: seed)
      var calls = try await call(segment.plans, segment, app, seed)
      calls += try await call([segment.lastReadings], segment, app, seed &+ 1)
      try await check(calls, segment, seed)
      number += UInt64(Self.lanes)
    }
  }

  /// Has a client for each plan call it.
  private func call(
    _ plans: [[RegistryOperation]], _ segment: RegistrySegment, _ app: RegistryApp, _ seed: UInt64
  ) async throws -> [RegistryCall] {
    try await withThrowingTaskGroup(of: [RegistryCall].self) { group in
      for (number, plan) in plans.enumerated() {
        group.addTask { [self] in
          try await blocking { [self] in
            var client = RegistryClient(
              number, port: port, app: app, segment: segment, seed: seed &+ UInt64(number)
            ) { [self] in isGivenUp.load(ordering: .relaxed) }
            client.run(plan)
            let (calls, statuses) = (client.calls, client.statuses)
            tally.withLock { tally in
              tally.operations += calls.count
              tally.lost += calls.count { $0.answer == nil }
              tally.statuses.merge(statuses, uniquingKeysWith: +)
            }
            return calls
          }
        }
      }
      return try await group.reduce(into: []) { $0 += $1 }
    }
  }

  private func check(_ calls: [RegistryCall], _ segment: RegistrySegment, _ seed: UInt64)
    async throws
  {
    try await blocking { [self] in
      let check = HistoryCheck(
        RegistryModel(ids: segment.ids, arrivals: calls.arrivals),
        from: RegistryState(count: segment.ids.count))
      let history = calls.history
      let verdict = check.verdict(on: history)
      let place = tally.withLock { tally -> Int? in
        tally.segments += 1
        if case .undecided = verdict { tally.undecided += 1 }
        guard case .violation = verdict else { return nil }
        tally.violations.append("segment \(seed), whose history is not shown")
        return tally.violations.count - 1
      }
      guard let place, place < Self.shownViolations else { return }
      let shown = check.shrunk(history)
      guard let impasse = shown.impasse else { return }
      let text = RegistryHistoryText(segment: segment).text(shown.part, impasse)
      tally.withLock { $0.violations[place] = "segment \(seed)\n\(text)" }
      // At once: a campaign takes an hour, and not everyone waits for its end.
      FileHandle.standardError.write(Data("segment \(seed)\n\(text)\n".utf8))
    }
  }

  // MARK: Faults

  /// Kills the program and cuts its connections to the database in turn.
  private func makeFaults() async throws {
    guard let operationsPerFault else { return }
    var number = 0
    while true {
      let next = (number + 1) * operationsPerFault
      while !isOver, tally.withLock({ $0.operations < next }) {
        try await Task.sleep(for: .milliseconds(5))
      }
      if isOver { return }
      if number.isMultiple(of: 2) {
        try await server.killAndStart()
      } else {
        try await database.query(
          """
          SELECT pg_terminate_backend(pid) FROM pg_stat_activity
          WHERE datname = current_database() AND pid <> pg_backend_pid()
          """)
      }
      tally.withLock { tally in
        if number.isMultiple(of: 2) { tally.kills += 1 } else { tally.cuts += 1 }
      }
      number += 1
      for app in 0..<Self.apps { try await closeBreakers(of: "app-\(app)") }
      if number.isMultiple(of: Self.faultsPerVacuum) {
        try await database.query("VACUUM ANALYZE")
        print(tally.withLock { "\($0)" })
      }
    }
  }

  // MARK: App

  private func makeApp(_ name: String) async throws -> RegistryApp {
    try await administer("PUT", name, #"{"bundle_id": "com.example.\#(name)"}"#)
    func key(_ kind: String) async throws -> String {
      try await administer("POST", "\(name)/keys", #"{"kind": "\#(kind)"}"#).json["key"].string
        ?? ""
    }
    let app = RegistryApp(
      name: name, clientKey: try await key("client"), senderKey: try await key("sender"))
    try await closeBreakers(of: name)
    return app
  }

  /// For an hour bursts of refused tokens are believed then.
  private func closeBreakers(of name: String) async throws {
    for environment in ["production", "sandbox"] {
      try await administer("DELETE", "\(name)/feedback/breakers/\(environment)", "")
    }
  }

  /// Calls until there is an answer: the connections to the database may just be cut.
  @discardableResult
  private func administer(_ method: String, _ path: String, _ body: String) async throws -> Reply {
    let request = """
      \(method) /v1/apps/\(path) HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n\
      Authorization: Bearer \(TestService.rootKey)\r\nContent-Length: \(body.utf8.count)\r\n\r\n\
      \(body)
      """
    var reply: Reply?
    try await eventually {
      reply = try? await exchange(port, Array(request.utf8))
      return reply.map { $0.status < 300 } ?? false
    }
    guard let reply else { throw Wire.Unanswered() }
    return reply
  }
}

extension Wire {
  /// There was no answer.
  fileprivate struct Unanswered: Error {}
}
