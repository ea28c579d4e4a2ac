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
/// statement for many rows is several times cheaper than many statements. Its pace can have rounds
/// wait until they are worth their price.
final class BatchLoader<Load: KeyedStatement>: Sendable {
  private struct Wanted: Sendable {
    let key: Load.Key
    let lane: Int
  }

  /// The lane of a key.
  private let lane: @Sendable (Load.Key) -> Int
  private let rounds: Rounds<Wanted, Load.Row?>

  /// - Parameters:
  ///   - pace: That of the moment; `nil` has none wait.
  ///   - isAhead: Whether what was read waits already, so that more of it is better read later and
  ///     together.
  init(
    _ database: PostgresClient, lane: @escaping @Sendable (Load.Key) -> Int = { _ in 0 },
    pace: @escaping () -> LoadPace? = { nil }, isAhead: @escaping () -> Bool = { false }
  ) {
    self.lane = lane
    let clock = LoadClock(database.loop, pace: pace, isAhead: isAhead)
    rounds = Rounds(
      database,
      .init(
        waiting: RegistryLimits.waitingLoads, perRound: RegistryLimits.loadsPerRound,
        underWay: RegistryLimits.loadRounds),
      of: "requests",
      lateness: PostgresError(.disconnected, "not read in time", isSafeToRetry: true),
      mayLeave: true,
      take: { queue in
        guard queue.mayBegin, clock.isDue(waiting: queue.waiting.count) else { return nil }
        let lane = queue.waiting.lazy.map(\.work.lane).laneOfRound
        return queue.takeRound { wanted, _ in lane == nil || wanted.lane == lane }
      },
      run: { wanted in
        var found: [Load.Key: Load.Row] = [:]
        do throws(PostgresError) {
          for row in try await Load.read(Array(Set(wanted.map(\.key))), from: database) {
            found[Load.key(of: row)] = row
          }
        } catch {
          return (wanted.map { _ in .done(.failure(error)) }, error.isOfNoConnection ? error : nil)
        }
        return (wanted.map { .done(.success(found[$0.key])) }, nil)
      })
  }

  /// Begins to serve; on the loop.
  func start() { rounds.start() }

  /// The row of a key, `nil` when there is none.
  func load(_ key: Load.Key) async throws(PostgresError) -> Load.Row? {
    try await rounds.perform(Wanted(key: key, lane: lane(key)))
  }
}

/// When the next round of reads begins; confined to its loop.
private final class LoadClock: @unchecked Sendable {
  private let loop: EventLoop
  private let pace: () -> LoadPace?
  private let isAhead: () -> Bool
  private var latestRound: UInt64 = 0
  private var isTimed = false

  init(_ loop: EventLoop, pace: @escaping () -> LoadPace?, isAhead: @escaping () -> Bool) {
    self.loop = loop
    self.pace = pace
    self.isAhead = isAhead
  }

  /// Whether a round may begin, which then does; if not, the loop wakes when it may.
  func isDue(waiting: Int) -> Bool {
    guard let pace = pace() else { return true }
    let passed = loop.nanoseconds - latestRound
    let isHeld = isAhead() && passed < RegistryLimits.longestHold
    guard isHeld || passed < pace.interval && waiting < pace.enough else {
      latestRound += passed
      return true
    }
    guard !isTimed else { return false }
    isTimed = true
    loop.execute { [self] in
      let rest = passed < pace.interval ? pace.interval - passed : pace.interval
      await loop.sleep(nanoseconds: rest)
      isTimed = false
    }
    return false
  }
}
