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
  private let database: PostgresClient
  /// That of the moment; `nil` has none wait.
  private let pace: () -> LoadPace?
  private var nextRound: UInt64 = 0
  private var isTimed = false
  private var waiting: [(key: Load.Key, caller: WaitingCaller<Load.Row?>)] = []
  private var roundsUnderWay = 0
  private var callers: WaitingCallers

  init(_ database: PostgresClient, pace: @escaping () -> LoadPace? = { nil }) {
    self.database = database
    self.pace = pace
    callers = WaitingCallers(
      database, lateness: PostgresError(.disconnected, "not read in time", isSafeToRetry: true))
  }

  /// Begins to serve; on the loop.
  func start() { database.loop.atCycleEnd(CycleEnd { self.loadWaiting() }) }

  /// The row of a key, `nil` when there is none.
  func load(_ key: Load.Key) async throws(PostgresError) -> Load.Row? {
    precondition(database.loop.isCurrent, "the loader is its loop's")
    guard waiting.count < RegistryLimits.waitingLoads else {
      throw PostgresError(.overloaded, "too many requests wait", isSafeToRetry: true)
    }
    return try await withUnsafeContinuation { waiting.append((key, callers.add($0))) }.get()
  }

  private func loadWaiting() {
    if callers.failLate() { waiting.removeAll(where: \.caller.isAnswered) }
    guard !callers.isEmpty, roundsUnderWay < RegistryLimits.loadRounds, !waiting.isEmpty, isDue()
    else { return }
    let batch = Array(waiting.prefix(RegistryLimits.loadsPerRound))
    waiting.removeFirst(batch.count)
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
      for (key, caller) in answered {
        caller.answer(failure.map(Result.failure) ?? .success(found[key]))
      }
    }
  }

  /// Whether a round may begin; if not, the loop wakes when it may.
  private func isDue() -> Bool {
    guard let pace = pace() else { return true }
    let now = database.loop.nanoseconds
    guard now < nextRound, waiting.count < pace.enough else {
      nextRound = now + pace.interval
      return true
    }
    guard !isTimed else { return false }
    isTimed = true
    database.loop.execute { [self] in
      await database.loop.sleep(nanoseconds: nextRound - now)
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
