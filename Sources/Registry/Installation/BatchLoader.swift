internal import EventLoop
package import Postgres

/// A statement that reads rows by their keys: none or one for each.
package protocol KeyedStatement: Statement {
  /// What a row is found by.
  associatedtype Key: Hashable & Sendable

  /// Asks for the rows of some keys.
  /// - Parameter keys: Each once.
  init(keys: [Key])

  /// The key of a row.
  static func key(of row: Row) -> Key

  /// Reads the rows of some keys.
  /// - Parameter keys: Each once.
  static func read(
    _ keys: [Key], from database: PostgresClient
  ) async throws(PostgresError) -> [Row]
}

extension KeyedStatement {
  /// By one statement.
  package static func read(
    _ keys: [Key], from database: PostgresClient
  ) async throws(PostgresError) -> [Row] {
    try await database.read(Self(keys: keys))
  }
}

/// How far apart rounds begin.
struct LoadPace {
  /// The nanoseconds from one to the next.
  let interval: UInt64
  /// So many loads do not wait for more.
  let enough: Int
}

/// Reads rows by key for all requests of a loop: those that ask in the same cycle share one
/// statement.
///
/// A row of thirty columns costs the server more to describe and to set up than to find, so one
/// statement for many rows is several times cheaper than many statements. A lone request goes at
/// once, and under load batches form while the one before is under way, or, until a round is worth
/// its price, as its pace has it.
final class BatchLoader<Load: KeyedStatement>: @unchecked Sendable {
  private typealias Waiting = (key: Load.Key, lane: Int, caller: WaitingCaller<Load.Row?>)

  private let database: PostgresClient
  /// The lane of a key.
  private let lane: (Load.Key) -> Int
  /// That of the moment; `nil` has none wait.
  private let pace: () -> LoadPace?
  /// Whether what was read waits already, so that more of it is better read later and together.
  private let isAhead: () -> Bool
  private var latestRound: UInt64 = 0
  private var isTimed = false
  private var waiting: [Waiting] = []
  private var roundsUnderWay = 0
  private var callers: WaitingCallers

  init(
    _ database: PostgresClient, lane: @escaping (Load.Key) -> Int = { _ in 0 },
    pace: @escaping () -> LoadPace? = { nil }, isAhead: @escaping () -> Bool = { false }
  ) {
    self.database = database
    self.lane = lane
    self.pace = pace
    self.isAhead = isAhead
    callers = WaitingCallers(
      lateness: PostgresError(.disconnected, "not read in time", isSafeToRetry: true))
  }

  /// Begins to serve; on the loop.
  func start() { database.loop.atCycleEnd(CycleEnd { self.loadWaiting() }) }

  /// The row of a key, `nil` when there is none.
  func load(_ key: Load.Key) async throws(PostgresError) -> Load.Row? {
    precondition(database.loop.isCurrent, "the loader is its loop's")
    guard waiting.count < RegistryLimits.waitingLoads else {
      throw PostgresError(.overloaded, "too many requests wait", isSafeToRetry: true)
    }
    let since = database.callStart
    try database.refuseLate(since)
    return try await withUnsafeContinuation {
      waiting.append((key, lane(key), callers.add($0, since: since)))
    }.get()
  }

  private func loadWaiting() {
    if callers.failLate(before: database.lateBefore) {
      waiting.removeAll(where: \.caller.isAnswered)
    }
    guard !waiting.isEmpty, roundsUnderWay < RegistryLimits.loadRounds, isDue() else { return }
    let batch = takeBatch()
    roundsUnderWay += 1
    database.loop.execute { [self] in
      var found: [Load.Key: Load.Row] = [:]
      var failure: PostgresError?
      do throws(PostgresError) {
        let keys = Set(batch.map { $0.key })
        for row in try await Load.read(Array(keys), from: database) {
          found[Load.key(of: row)] = row
        }
      } catch {
        failure = error
      }
      roundsUnderWay -= 1
      var answered = batch
      if let failure, failure.code == .disconnected, failure.isSafeToRetry {
        // There was no connection for a whole wait: those behind do not wait as long each.
        answered += waiting
        waiting = []
      }
      for (key, _, caller) in answered {
        caller.answer(failure.map(Result.failure) ?? .success(found[key]))
      }
    }
  }

  /// The loads of the next round, those that have waited longest.
  private func takeBatch() -> [Waiting] {
    let lane = waiting.lazy.map(\.lane).laneOfRound
    var batch: [Waiting] = []
    waiting.removeAll { load in
      guard batch.count < RegistryLimits.loadsPerRound, lane == nil || load.lane == lane
      else { return false }
      batch.append(load)
      return true
    }
    return batch
  }

  /// Whether a round may begin; if not, the loop wakes when it may.
  private func isDue() -> Bool {
    guard let pace = pace() else { return true }
    let passed = database.loop.nanoseconds - latestRound
    let isHeld = isAhead() && passed < RegistryLimits.longestHold
    guard isHeld || passed < pace.interval && waiting.count < pace.enough else {
      latestRound += passed
      return true
    }
    guard !isTimed else { return false }
    isTimed = true
    database.loop.execute { [self] in
      let rest = passed < pace.interval ? pace.interval - passed : pace.interval
      await database.loop.sleep(nanoseconds: rest)
      isTimed = false
    }
    return false
  }
}

/// Calls a closure, which the compiler makes for the types that the caller of
/// ``BatchLoader/start()`` knows. A method of a generic class that is called through a protocol
/// looks up its types in tables that all loops share, several times a cycle.
private final class CycleEnd: CycleEndHandler {
  private let body: () -> Void

  init(_ body: @escaping () -> Void) { self.body = body }

  func loopCycleEnded() { body() }
}
