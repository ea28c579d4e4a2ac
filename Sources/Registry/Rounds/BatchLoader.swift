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
/// columns, most of the cost is to describe and set up the statement. With a ``LoadPace`` requests
/// gather for a little longer: registrations begin a read round every 2 ms, or when twelve wait.
final class BatchLoader<Load: KeyedStatement>: Sendable {
  private struct Wanted: Sendable {
    let key: Load.Key
    let lane: Int
  }

  /// The lane of a key.
  private let lane: @Sendable (Load.Key) -> Int
  private let rounds: Rounds<Wanted, Load.Row?>

  /// - Parameters:
  ///   - pace: The pace just now; with `nil` no request waits for others.
  ///   - isWriterBusy: Whether changes of earlier reads still wait to be written. Then reads wait
  ///     for more to gather.
  init(
    _ database: PostgresClient, lane: @escaping @Sendable (Load.Key) -> Int = { _ in 0 },
    pace: @escaping () -> LoadPace? = { nil }, isWriterBusy: @escaping () -> Bool = { false }
  ) {
    self.lane = lane
    let clock = LoadClock(database.loop, pace: pace, isWriterBusy: isWriterBusy)
    rounds = Rounds(
      database,
      .init(
        waiting: RegistryLimits.waitingLoads, perRound: RegistryLimits.loadsPerRound,
        underWay: RegistryLimits.loadRounds),
      of: "requests",
      lateness: PostgresError(.disconnected, "not read in time", isSafeToRetry: true),
      mayLeave: true,
      take: { queue in
        guard queue.mayBegin, clock.beginIfDue(waiting: queue.waiting.count) else { return nil }
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
  private let isWriterBusy: () -> Bool
  private var latestRound: UInt64 = 0
  private var isTimed = false

  init(_ loop: EventLoop, pace: @escaping () -> LoadPace?, isWriterBusy: @escaping () -> Bool) {
    self.loop = loop
    self.pace = pace
    self.isWriterBusy = isWriterBusy
  }

  /// Notes the beginning of a round and returns `true`, if one may begin; otherwise has the loop
  /// wake when it may.
  func beginIfDue(waiting: Int) -> Bool {
    guard let pace = pace() else { return true }
    let passed = loop.nanoseconds - latestRound
    let isHeld = isWriterBusy() && passed < RegistryLimits.longestHold
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
