internal import EventLoop
package import Postgres

/// A statement that reads rows by their keys: none or one for each.
package protocol KeyedStatement: Statement {
  /// The key by which a row is found.
  associatedtype Key: Hashable & Sendable

  /// Asks for the rows of some keys.
  /// - Parameter keys: Each once.
  init(keys: [Key])

  static func key(of row: Row) -> Key
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
/// columns, most of the cost is to describe and set up the statement. With a ``LoadPace`` requests
/// gather for a little longer: registrations begin a read round every 2 ms, or when twelve wait.
final class BatchLoader<Load: KeyedStatement>: Sendable {
  private let rounds: Rounds<Load.Key, Load.Row?>

  /// - Parameter pace: With `nil` no request waits for others.
  init(_ database: PostgresClient, pace: LoadPace? = nil) {
    let clock = pace.map { LoadClock(database.loop, $0) }
    rounds = Rounds(
      database,
      .init(
        waiting: RegistryLimits.waitingLoads, perRound: RegistryLimits.loadsPerRound,
        underWay: RegistryLimits.loadRounds),
      of: "requests",
      lateness: PostgresError(.disconnected, "not read in time", isSafeToRetry: true),
      mayLeave: true,
      take: { queue in
        guard queue.mayBegin, clock?.beginIfDue(waiting: queue.waiting.count) ?? true
        else { return nil }
        return queue.takeRound()
      },
      run: { keys in
        var found: [Load.Key: Load.Row] = [:]
        do throws(PostgresError) {
          for row in try await database.read(Load(keys: Array(Set(keys)))) {
            found[Load.key(of: row)] = row
          }
        } catch {
          return (
            keys.map { _ in
              keys.count > 1 && error.isOfOneRow ? .againAlone : .done(.failure(error))
            }, error.isOfNoConnection ? error : nil
          )
        }
        return (keys.map { .done(.success(found[$0])) }, nil)
      })
  }

  /// Begins to serve; on the loop.
  func start() { rounds.start() }

  /// The row of a key, `nil` when there is none.
  func load(_ key: Load.Key) async throws(PostgresError) -> Load.Row? {
    try await rounds.perform(key)
  }
}

/// When the next round of reads begins; confined to its loop.
private final class LoadClock: @unchecked Sendable {
  private let loop: EventLoop
  private let pace: LoadPace
  private var latestRound: UInt64 = 0
  private var isTimed = false

  init(_ loop: EventLoop, _ pace: LoadPace) {
    self.loop = loop
    self.pace = pace
  }

  /// Notes the beginning of a round and returns `true`, if one may begin; otherwise has the loop
  /// wake when it may.
  func beginIfDue(waiting: Int) -> Bool {
    let passed = loop.nanoseconds - latestRound
    guard passed < pace.interval && waiting < pace.enough else {
      latestRound += passed
      return true
    }
    guard !isTimed else { return false }
    isTimed = true
    loop.execute { [self] in
      await loop.sleep(nanoseconds: pace.interval - passed)
      isTimed = false
    }
    return false
  }
}
