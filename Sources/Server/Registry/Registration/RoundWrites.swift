import Postgres

/// What a round of the commit queue writes.
///
/// All rounds lock rows in the same order, so that no two wait for each other: statement by
/// statement, and in each statement by key. Other transactions that write sightings or breakers
/// hold no other row when they lock them, or lock in the same order. Only in a table of a few pages
/// PostgreSQL may take the rows as they lie. Should two rounds wait for each other there, it ends
/// one, whose changes are decided again.
struct RoundWrites {
  let created: [Installation]
  let changed: [Installation]
  let deleted: [Installation]
  let ledgerEntries: [LedgerEntry]
  /// Each once.
  private let apps: [Int32]
  private let sightings: [Sighting]
  /// Those of installations whose rows are not written.
  private let seen: [Sighting]
  private let closedBreakers: [BreakerKey]
  private let events: (ofTokens: [TokenEvent], ofInstallations: [InstallationEvent])

  init(_ changes: [ChangeSet], ledgerEntries: [LedgerEntry]) {
    let transitions = changes.flatMap(\.transitions)
    created = transitions.filter { $0.before == nil }.compactMap(\.after)
    changed = transitions.filter { $0.before != nil }.compactMap(\.after)
    deleted = transitions.filter { $0.after == nil }.compactMap(\.before)
    self.ledgerEntries = ledgerEntries
    sightings = changes.flatMap(\.sightings)
    seen = changes.flatMap(\.seen)
    apps = Array(
      Set(transitions.compactMap(\.key?.appID)).union(sightings.map(\.installation.appID)))
    closedBreakers = Array(Set(changes.flatMap(\.closedBreakers)))
    events = transitions.events
  }

  /// How many rows it adds at most. An update adds none, and neither does a token that is given up:
  /// its row of the ledger stays.
  var addedRows: Int {
    created.count + ledgerEntries.count { $0.owner != nil } + events.ofTokens.count
      + events.ofInstallations.count
  }

  /// Adds all statements to a transaction.
  func add(to transaction: Transaction) -> RoundBatch { batch(in: transaction, isWhole: false) }

  /// Adds all statements to a transaction, which fails if another writer was faster
  /// (``Postgres/PostgresError/mayBeOutrun``).
  func addWhole(to transaction: Transaction) { _ = batch(in: transaction, isWhole: true) }

  private func batch(in transaction: Transaction, isWhole: Bool) -> RoundBatch {
    transaction.add(LockApps(ids: apps))
    var batch = RoundBatch(transaction, isWhole: isWhole)
    if isWhole {
      if !created.isEmpty { transaction.add(AddInstallations(installations: created)) }
    } else {
      batch.installations.append(batch.write(created, InsertInstallations.init))
    }
    batch.installations.append(batch.write(changed, UpdateInstallations.init))
    batch.installations.append(batch.write(deleted, DeleteInstallations.init))
    batch.tokens = batch.write(ledgerEntries, WriteLedger.init)
    batch.sighted = batch.write(sightings, WriteSightings.init)
    batch.unchanged = batch.write(seen, FindUnchanged.init)
    batch.closedBreakers = batch.write(closedBreakers, HoldClosedBreakers.init)
    if !events.ofTokens.isEmpty { transaction.add(InsertTokenEvents(events: events.ofTokens)) }
    if !events.ofInstallations.isEmpty {
      transaction.add(InsertInstallationEvents(events: events.ofInstallations))
    }
    return batch
  }
}

/// The statements of a round in their transaction, and the rows that they wrote. Ask for rows once
/// the answers are there.
struct RoundBatch {
  private let transaction: Transaction
  /// Whether the transaction fails if a row cannot be written.
  private let isWhole: Bool
  fileprivate(set) var installations: [() -> [InstallationKey]] = []
  fileprivate(set) var tokens: () -> [OwnedToken] = { [] }
  fileprivate(set) var sighted: () -> [InstallationKey] = { [] }
  fileprivate(set) var unchanged: () -> [InstallationKey] = { [] }
  fileprivate(set) var closedBreakers: () -> [BreakerKey] = { [] }

  fileprivate init(_ transaction: Transaction, isWhole: Bool) {
    self.transaction = transaction
    self.isWhole = isWhole
  }

  /// Adds a write of some rows.
  /// - Returns: The rows that it has written; none if the transaction fails unless it writes all.
  fileprivate func write<Row, Write: Statement>(
    _ rows: [Row], _ statement: ([Row]) -> Write
  ) -> () -> [Write.Row] {
    guard !rows.isEmpty else { return { [] } }
    guard !isWhole else {
      transaction.add(WholeBatch(write: statement(rows)))
      return { [] }
    }
    let pending = transaction.add(statement(rows))
    return { pending.rows }
  }
}

/// A write of a batch that fails if it writes fewer rows than the batch has. So the COMMIT can be
/// sent with it, before the answer is there.
struct WholeBatch<Write: Statement>: Statement {
  static var sql: String {
    """
    WITH written AS (\(Write.sql))
    SELECT CASE WHEN count(*) < cardinality($1)
      THEN another_writer_was_faster(cardinality($1) - count(*)) END
    FROM written
    """
  }

  /// Its first value is a column of the batch; it returns a row for each row that it writes.
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
