import Postgres

/// A change that waits for a transaction, with what no other change of its round may touch.
struct QueuedChange: Sendable {
  let changes: ChangeSet
  let ledgerEntries: [LedgerEntry]
  let keys: [InstallationKey]
  let tokens: [OwnedToken]
  let lane: Int

  init(_ changes: ChangeSet, lane: Int = 0) {
    self.changes = changes
    ledgerEntries = changes.transitions.flatMap(\.ledgerEntries)
    keys = changes.keys
    tokens = ledgerEntries.map(\.token)
    self.lane = lane
  }
}

/// How a round of changes ended.
enum ChangeRoundEnd {
  /// It is committed, but for changes that another writer was faster than; of others the language
  /// may have been chosen anew.
  case committed(losers: Set<Int>, overtaken: Set<Int> = [])
  /// It is rolled back because of changes that another writer was faster than.
  case rolledBack(losers: Set<Int>)
  /// It failed, and nothing or, after a break of the connection, all of it was written.
  case failed(PostgresError)
}

extension RoundQueue where Answer == CommitResult {
  /// Begins a round of what can go together. No installation and no token goes twice, deletions go
  /// by themselves, and so does a lane of which enough wait.
  mutating func takeChanges(_ change: @escaping (Work) -> QueuedChange) -> [Entry]? {
    let lane = waiting.lazy.map { change($0.work).lane }.laneOfRound
    var installations: Set<InstallationKey> = []
    var tokens: Set<OwnedToken> = []
    return takeRound { work, first in
      let next = change(work)
      // What stays behind keeps its order: a later change of the same installation waits too.
      defer {
        installations.formUnion(next.keys)
        tokens.formUnion(next.tokens)
      }
      let isOfTheSameSort =
        first.map { change($0).changes.isDeletion == next.changes.isDeletion } ?? true
      return isOfTheSameSort && (lane == nil || next.lane == lane)
        && installations.isDisjoint(with: next.keys) && tokens.isDisjoint(with: next.tokens)
    }
  }
}

extension ChangeRoundEnd {
  /// What becomes of each change of a round. Losers decide anew, the others of a round that was
  /// rolled back go again, and one bad row does not fail its neighbours.
  func endings<Work>(count: Int) -> [RoundQueue<Work, CommitResult>.Ending] {
    (0..<count).map { index in
      switch self {
      case .committed(let losers, let overtaken):
        .done(
          .success(
            losers.contains(index) ? .outrun : overtaken.contains(index) ? .overtaken : .written))
      case .rolledBack(let losers): losers.contains(index) ? .done(.success(.outrun)) : .again
      case .failed(let error):
        count > 1 && error.isOfOneRow ? .againAlone : .done(.failure(error))
      }
    }
  }

  /// What all changes that wait are told, too.
  var failureOfAll: PostgresError? {
    if case .failed(let error) = self, error.isOfNoConnection { error } else { nil }
  }
}
