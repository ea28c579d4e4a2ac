import Postgres

/// What a round of the commit queue writes.
///
/// All rounds lock rows in the same order, so that no two wait for each other: statement by
/// statement, and in each statement by key. Whoever else writes sightings or breakers holds no
/// other row when it locks them, or locks in the same order.
struct RoundWrites {
  private let created: [Installation]
  private let changed: [Installation]
  /// What ``changed`` was before.
  private let replaced: [Installation]
  private let deleted: [Installation]
  private let ledgerEntries: [LedgerEntry]
  private let touches: [Installation]
  private let timeGuards: [InstallationTimes]
  private let closedBreakers: [BreakerKey]
  /// Whether Citus spreads the tables over servers.
  private let isDistributed: Bool
  private let events: (ofTokens: [TokenEvent], ofInstallations: [InstallationEvent])

  init(_ changes: [ChangeSet], ledgerEntries: [LedgerEntry], isDistributed: Bool) {
    self.isDistributed = isDistributed
    let transitions = changes.flatMap(\.transitions)
    created = transitions.filter { $0.before == nil }.compactMap(\.after)
    changed = transitions.filter { $0.before != nil }.compactMap(\.after)
    replaced = transitions.filter { $0.after != nil }.compactMap(\.before)
    deleted = transitions.filter { $0.after == nil }.compactMap(\.before)
    self.ledgerEntries = ledgerEntries
    touches = changes.flatMap(\.touches)
    timeGuards = changes.flatMap(\.timeGuards)
    closedBreakers = Array(Set(changes.flatMap(\.closedBreakers)))
    events = transitions.events
  }

  /// How many rows it adds at most. An update adds none, and neither does a token that is given up:
  /// its row of the ledger stays.
  var addedRows: Int {
    created.count + ledgerEntries.count { $0.owner != nil } + events.ofTokens.count
      + events.ofInstallations.count
  }

  /// The rows that were written. Call these once the answers are there.
  struct Written {
    /// For each write that does not fail by itself: whether it has written all its rows.
    fileprivate var isWhole: [() -> Bool] = []
    fileprivate(set) var installations: [() -> [InstallationKey]] = []
    fileprivate(set) var tokens: () -> [OwnedToken] = { [] }
    fileprivate(set) var touched: () -> [InstallationKey] = { [] }
    fileprivate(set) var guarded: () -> [InstallationKey] = { [] }
    fileprivate(set) var closedBreakers: () -> [BreakerKey] = { [] }
  }

  /// Adds all statements to a transaction.
  func add(to transaction: Transaction) -> Written { add(to: transaction, isWhole: false) }

  /// Adds all statements to a transaction, which fails if another writer was faster
  /// (``Postgres/PostgresError/mayBeOutrun``). Only touches may skip rows: the returned value tells
  /// of nothing else.
  func addWhole(to transaction: Transaction) async throws(PostgresError) -> Written {
    let written = add(to: transaction, isWhole: true)
    guard isDistributed, !written.isWhole.isEmpty else { return written }
    // The rows are counted here: if SQL counted them, Citus would write them to disk first.
    try await transaction.send()
    guard written.isWhole.allSatisfy({ $0() }) else {
      throw PostgresError(
        .server(sqlState: PostgresError.outrunState), "another writer was faster")
    }
    return written
  }

  private func add(to transaction: Transaction, isWhole: Bool) -> Written {
    var written = Written()
    func write<Row, Write: Statement>(
      _ rows: [Row], _ statement: ([Row]) -> Write
    ) -> () -> [Write.Row] {
      guard !rows.isEmpty else { return { [] } }
      if isWhole, !isDistributed {
        transaction.add(WholeBatch(write: statement(rows)))
        return { [] }
      }
      let pending = transaction.add(statement(rows))
      guard isWhole else { return { pending.rows } }
      written.isWhole.append { pending.rows.count == rows.count }
      return { [] }
    }
    func add(_ installations: [Installation]) {
      guard !installations.isEmpty else { return }
      transaction.add(AddInstallations(installations: installations))
    }
    if isDistributed { lockApps(transaction) }
    switch (isWhole, isDistributed) {
    case (true, true):
      // Of an UPDATE Citus sends all rows to every shard, of an INSERT each row to its own shard.
      _ = write(replaced + deleted, DeleteInstallations.init)
      add(created + changed)
    case (true, false):
      add(created)
      _ = write(changed, UpdateInstallations.init)
      _ = write(deleted, DeleteInstallations.init)
    case (false, _):
      written.installations = [
        write(created, InsertInstallations.init),
        isDistributed
          ? write(changed, RouteInstallations.init) : write(changed, UpdateInstallations.init),
        write(deleted, DeleteInstallations.init),
      ]
    }
    if isDistributed {
      let new = isWhole ? ledgerEntries.filter(\.isOfNewToken) : []
      if !new.isEmpty { transaction.add(AddTokens(entries: new)) }
      let others = new.isEmpty ? ledgerEntries : ledgerEntries.filter { !$0.isOfNewToken }
      written.tokens = write(others, RouteLedger.init)
    } else {
      written.tokens = write(ledgerEntries, WriteLedger.init)
    }
    if !touches.isEmpty {
      let pending = transaction.add(TouchInstallations(installations: touches))
      written.touched = { pending.rows }
    }
    if !deleted.isEmpty {
      transaction.add(DeleteSightings(keys: deleted.map(\.key)))
    }
    written.guarded = write(timeGuards, WriteTimeGuards.init)
    written.closedBreakers = write(closedBreakers, HoldClosedBreakers.init)
    if !events.ofTokens.isEmpty { transaction.add(InsertTokenEvents(events: events.ofTokens)) }
    if !events.ofInstallations.isEmpty {
      transaction.add(InsertInstallationEvents(events: events.ofInstallations))
    }
    return written
  }

  private func lockApps(_ transaction: Transaction) {
    let ids = Set(created.map(\.appID)).union(ledgerEntries.map(\.token.appID))
    if !ids.isEmpty { transaction.add(LockApps(ids: Array(ids))) }
  }
}

/// A write of a batch that fails if it writes fewer rows than the batch has. So the COMMIT can be
/// sent with it, before the answer is there. On Citus ``RoundWrites`` counts instead.
struct WholeBatch<Write: Statement>: Statement {
  static var sql: String {
    """
    WITH written AS (\(Write.sql))
    SELECT CASE WHEN count(*) < cardinality($1)
      THEN another_writer_was_faster(cardinality($1) - count(*)) END
    FROM written
    """
  }

  /// Its first value is a column of the batch; it returns a row for each that it writes.
  let write: Write

  func bind(to parameters: inout Parameters) { write.bind(to: &parameters) }

  static func decode(_ row: inout RowReader) throws(PostgresError) {}
}

extension PostgresError {
  /// The state with which `another_writer_was_faster` fails; no error of PostgreSQL has it.
  static let outrunState = "LOST1"

  /// Whether another writer may have been faster: a row was not written that had to be (`LOST1`),
  /// or was there already (`23505`), or Citus failed while it copied rows to their servers
  /// (`XX000`). The last two may have other causes. Write the rows again one step after the other
  /// to find out.
  var mayBeOutrun: Bool { [Self.outrunState, "23505", "XX000"].contains(sqlState) }
}
