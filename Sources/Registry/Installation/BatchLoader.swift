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

/// How far apart read rounds begin.
struct LoadPace {
  /// The nanoseconds from one to the next.
  let interval: UInt64
  /// When so many loads wait, the round begins at once.
  let enough: Int
}

/// Reads rows by key in read rounds: requests that ask in the same cycle of the loop share one
/// statement.
///
/// One statement for many rows is several times cheaper than many statements: of a row with thirty
/// columns, most of the cost is to describe and set up the statement. A lone request goes at once.
/// Under load requests gather while the round before is under way. With a ``LoadPace`` they gather
/// for a little longer: registrations begin a read round every 2 ms, or when twelve wait.
final class BatchLoader<Load: KeyedStatement>: @unchecked Sendable {
  private typealias Waiting = (key: Load.Key, lane: Int, caller: WaitingCaller<Load.Row?>)

  private let database: PostgresClient
  /// The lane of a key.
  private let lane: (Load.Key) -> Int
  /// The pace just now; with `nil` no request waits for others.
  private let pace: () -> LoadPace?
  /// Whether changes of earlier reads still wait to be written. Then reads wait for more to gather.
  private let isWriterBusy: () -> Bool
  private var latestRound: UInt64 = 0
  private var isTimed = false
  private var waiting: [Waiting] = []
  private var roundsUnderWay = 0
  private var callers: WaitingCallers

  init(
    _ database: PostgresClient, lane: @escaping (Load.Key) -> Int = { _ in 0 },
    pace: @escaping () -> LoadPace? = { nil }, isWriterBusy: @escaping () -> Bool = { false }
  ) {
    self.database = database
    self.lane = lane
    self.pace = pace
    self.isWriterBusy = isWriterBusy
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
        // There was no connection for as long as a call may wait: the others need not wait again.
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
    let isHeld = isWriterBusy() && passed < RegistryLimits.longestHold
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

/// Calls a closure at the end of each cycle. If ``BatchLoader`` itself were the handler, each call
/// would go through a protocol to a generic class, and look up its types in tables that all loops
/// share. The closure is compiled for its types.
private final class CycleEnd: CycleEndHandler {
  private let body: () -> Void

  init(_ body: @escaping () -> Void) { self.body = body }

  func loopCycleEnded() { body() }
}
