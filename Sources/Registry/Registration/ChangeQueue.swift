import Postgres

/// The changes that wait for a transaction. This value decides which of them go out together, and
/// what their callers are told; ``CommitQueue`` does it.
struct ChangeQueue<Ticket> {
  /// A change that waits, or is under way.
  struct Entry {
    let changes: ChangeSet
    let ledgerEntries: [LedgerEntry]
    /// The installations and tokens that no other change of its round may touch.
    fileprivate let keys: [InstallationKey]
    fileprivate let tokens: [OwnedToken]
    fileprivate let lane: Int
    fileprivate(set) var isAlone = false
    /// Tells the caller apart from others.
    let ticket: Ticket
  }

  /// How a round ended.
  enum RoundResult {
    /// It is committed, except for touches that were outrun. Some persons may have another language
    /// by now.
    case committed(outrun: Set<Int>, languageChanged: Set<Int> = [])
    /// It is rolled back, as some of its changes were outrun.
    case rolledBack(outrun: Set<Int>)
    /// It failed: nothing was written. If the connection broke, all of it may have been.
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

  /// Begins a round if changes wait and no other round is under way. It takes changes from the
  /// front that can go together:
  ///
  /// - each installation and each token once;
  /// - deletions in rounds without other changes;
  /// - a change that must go alone by itself;
  /// - where Citus spreads the tables, only those of one lane, if enough of it wait.
  mutating func takeRound() -> [Entry]? {
    guard !waiting.isEmpty, roundsUnderWay < RegistryLimits.commitRounds else { return nil }
    roundsUnderWay += 1
    let lane = waiting.lazy.map(\.lane).laneOfRound
    var round: [Entry] = []
    var kept: [Entry] = []
    var installations: Set<InstallationKey> = []
    var tokens: Set<OwnedToken> = []
    var looked = 0
    // Once the round is full, the rest of the queue is not looked at.
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
      // A change that is left keeps its place: later ones of the same installation wait, too.
      installations.formUnion(entry.keys)
      tokens.formUnion(entry.tokens)
      if fits { round.append(entry) } else { kept.append(entry) }
    }
    waiting.replaceSubrange(..<looked, with: kept)
    return round
  }

  /// Ends a round: some of its changes are answered, the others wait again, before later changes
  /// of the same installations.
  mutating func end(_ round: [Entry], _ result: RoundResult) -> [Answer] {
    roundsUnderWay -= 1
    switch result {
    case .committed(let outrun, let languageChanged):
      return round.indices.map { index in
        let result: CommitResult =
          outrun.contains(index)
          ? .outrun : languageChanged.contains(index) ? .languageChanged : .written
        return (round[index].ticket, .success(result))
      }
    case .rolledBack(let outrun):
      // Callers of outrun changes decide again.
      let others = round.indices.filter { !outrun.contains($0) }.map { round[$0] }
      waiting.insert(contentsOf: others, at: 0)
      return outrun.sorted().map { (round[$0].ticket, .success(.outrun)) }
    case .failed(let error):
      if round.count > 1, error.isOfOneRow {
        // One bad row must not fail its neighbours.
        waiting.insert(contentsOf: round.map { $0.alone }, at: 0)
        return []
      }
      var failed = round
      if error.code == .disconnected, error.isSafeToRetry {
        // There was no connection for as long as a call may wait: the others need not wait again.
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
