import Postgres

/// Changes that wait for a transaction, as a value: the commit queue asks which go together and
/// what becomes of them, then acts.
struct ChangeQueue<Ticket> {
  /// A change that waits, or is under way.
  struct Entry {
    let changes: ChangeSet
    let ledgerEntries: [LedgerEntry]
    /// What no other change of its round may touch.
    fileprivate let keys: [InstallationKey]
    fileprivate let tokens: [OwnedToken]
    fileprivate let lane: Int
    fileprivate(set) var isAlone = false
    /// What its caller is known by.
    let ticket: Ticket
  }

  /// How a round ended.
  enum Outcome {
    /// It is committed, but for changes that another writer was faster than; of others the
    /// language may have been chosen anew.
    case committed(losers: Set<Int>, overtaken: Set<Int> = [])
    /// It is rolled back because of changes that another writer was faster than.
    case rolledBack(losers: Set<Int>)
    /// It failed, and nothing or, after a break of the connection, all of it was written.
    case failed(PostgresError)
  }

  /// What a caller is told.
  typealias Answer = (ticket: Ticket, result: Result<CommitResult, PostgresError>)

  private var waiting: [Entry] = []
  private var roundsUnderWay = 0

  /// How many changes wait.
  var waitingCount: Int { waiting.count }

  /// Whether no further change may wait.
  var isFull: Bool { waiting.count >= RegistryLimits.waitingChanges }

  /// Has a change wait.
  mutating func add(_ changes: ChangeSet, lane: Int = 0, ticket: Ticket) {
    let ledgerEntries = changes.transitions.flatMap(\.ledgerEntries)
    waiting.append(
      Entry(
        changes: changes, ledgerEntries: ledgerEntries, keys: changes.keys,
        tokens: ledgerEntries.map(\.token), lane: lane, ticket: ticket))
  }

  /// Begins a round, when changes wait and not all rounds are under way: takes from the front what
  /// can go together. No installation and no token goes twice, deletions go by themselves, and so
  /// do a change that must go alone and a lane of which enough wait.
  mutating func takeRound() -> [Entry]? {
    guard !waiting.isEmpty, roundsUnderWay < RegistryLimits.commitRounds else { return nil }
    roundsUnderWay += 1
    let lane = waiting.lazy.map(\.lane).laneOfRound
    var round: [Entry] = []
    var kept: [Entry] = []
    var installations: Set<InstallationKey> = []
    var tokens: Set<OwnedToken> = []
    var looked = 0
    // A long queue is not walked for nothing: what is behind a full round stays where it is.
    while looked < waiting.count, round.count < RegistryLimits.changesPerRound,
      round.first?.isAlone != true
    {
      let entry = waiting[looked]
      looked += 1
      let isOfTheSameSort =
        !entry.isAlone && round.first?.changes.isDeletion == entry.changes.isDeletion
      let fits =
        (round.isEmpty || isOfTheSameSort) && (lane == nil || entry.lane == lane)
        && installations.isDisjoint(with: entry.keys) && tokens.isDisjoint(with: entry.tokens)
      // What stays behind keeps its order: a later change of the same installation waits too.
      installations.formUnion(entry.keys)
      tokens.formUnion(entry.tokens)
      if fits { round.append(entry) } else { kept.append(entry) }
    }
    waiting.replaceSubrange(..<looked, with: kept)
    return round
  }

  /// Ends a round: some of its changes are answered, the others wait again, before later changes
  /// of the same installations.
  mutating func end(_ round: [Entry], _ outcome: Outcome) -> [Answer] {
    roundsUnderWay -= 1
    switch outcome {
    case .committed(let losers, let overtaken):
      return round.indices.map { index in
        let result: CommitResult =
          losers.contains(index) ? .outrun : overtaken.contains(index) ? .overtaken : .written
        return (round[index].ticket, .success(result))
      }
    case .rolledBack(let losers):
      // The losers decide anew.
      let others = round.indices.filter { !losers.contains($0) }.map { round[$0] }
      waiting.insert(contentsOf: others, at: 0)
      return losers.sorted().map { (round[$0].ticket, .success(.outrun)) }
    case .failed(let error):
      if round.count > 1, error.isOfOneRow {
        // One bad row must not fail its neighbours.
        waiting.insert(contentsOf: round.map { $0.alone }, at: 0)
        return []
      }
      var failed = round
      if error.code == .disconnected, error.isSafeToRetry {
        // There was no connection for a whole wait: those behind do not wait as long once more.
        failed += waiting
        waiting = []
      }
      return failed.map { ($0.ticket, .failure(error)) }
    }
  }
}

extension ChangeQueue.Entry {
  fileprivate var alone: Self {
    var entry = self
    entry.isAlone = true
    return entry
  }
}
