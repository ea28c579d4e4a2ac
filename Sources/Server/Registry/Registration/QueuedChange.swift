import Postgres

/// A change that waits for a transaction, with what no other change of its round may touch.
struct QueuedChange: Sendable {
  let changes: ChangeSet
  let ledgerEntries: [LedgerEntry]
  let keys: [InstallationKey]
  let tokens: [OwnedToken]

  init(_ changes: ChangeSet) {
    self.changes = changes
    ledgerEntries = changes.transitions.flatMap(\.ledgerEntries)
    keys = changes.rows + changes.sighted
    tokens = ledgerEntries.map(\.token)
  }
}

/// How a write round ended.
enum WriteRoundResult {
  /// It is committed. Some persons may have another language by now.
  case committed(languageChanged: Set<Int> = [])
  /// It is rolled back, as some of its changes were outrun.
  case rolledBack(outrun: Set<Int>)
  /// It failed: nothing was written. If the connection broke, all of it may have been.
  case failed(PostgresError)
}

extension RoundQueue where Answer == CommitResult {
  /// Begins a round of changes that can go together:
  ///
  /// - each installation and each token once;
  /// - deletions in rounds without other changes.
  mutating func takeChanges(_ change: @escaping (Work) -> QueuedChange) -> [Entry]? {
    var installations: Set<InstallationKey> = []
    var tokens: Set<OwnedToken> = []
    return takeRound { work, first in
      let next = change(work)
      // A change that is left keeps its place: later ones of the same installation wait, too.
      defer {
        installations.formUnion(next.keys)
        tokens.formUnion(next.tokens)
      }
      let isOfTheSameSort =
        first.map { change($0).changes.isDeletion == next.changes.isDeletion } ?? true
      return isOfTheSameSort
        && installations.isDisjoint(with: next.keys) && tokens.isDisjoint(with: next.tokens)
    }
  }
}

extension WriteRoundResult {
  /// What becomes of each change of the round. Outrun changes are decided again by their callers;
  /// the others of a round that was rolled back go out again. If one row may be bad, each change
  /// goes alone.
  func endings<Work>(count: Int) -> [RoundQueue<Work, CommitResult>.Ending] {
    (0..<count).map { index in
      switch self {
      case .committed(let languageChanged):
        .done(.success(languageChanged.contains(index) ? .languageChanged : .written))
      case .rolledBack(let outrun): outrun.contains(index) ? .done(.success(.outrun)) : .again
      case .failed(let error):
        count > 1 && error.isOfOneRow ? .againAlone : .done(.failure(error))
      }
    }
  }

  /// The error that all waiting changes are told, too.
  var failureOfAll: PostgresError? {
    if case .failed(let error) = self, error.isOfNoConnection { error } else { nil }
  }
}
