import Postgres

/// What a round of the commit queue writes.
///
/// All rounds lock rows in the same order, so that no two wait for each other: statement by
/// statement, and in each statement by key. Whoever else writes sightings or breakers holds no
/// other row when it locks them, or locks in the same order.
struct RoundWrites {
  let created: [Installation]
  let changed: [Installation]
  /// What ``changed`` was before.
  let replaced: [Installation]
  let deleted: [Installation]
  let ledgerEntries: [LedgerEntry]
  private let times: [InstallationTimes]
  private let closedBreakers: [BreakerKey]
  /// Whether Citus spreads installations and tokens over servers.
  private let areSpread: Bool
  private let events: (ofTokens: [TokenEvent], ofInstallations: [InstallationEvent])

  init(_ changes: [ChangeSet], ledgerEntries: [LedgerEntry], areSpread: Bool = false) {
    self.areSpread = areSpread
    let transitions = changes.flatMap(\.transitions)
    created = transitions.filter { $0.before == nil }.compactMap(\.after)
    changed = transitions.filter { $0.before != nil }.compactMap(\.after)
    replaced = transitions.filter { $0.after != nil }.compactMap(\.before)
    deleted = transitions.filter { $0.after == nil }.compactMap(\.before)
    self.ledgerEntries = ledgerEntries
    times = changes.flatMap(\.times)
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
  func addWhole(to transaction: Transaction) async throws(PostgresError) {
    try await batch(in: transaction, isWhole: true).check()
  }

  private func batch(in transaction: Transaction, isWhole: Bool) -> RoundBatch {
    var batch = RoundBatch(transaction, isWhole: isWhole, countsRows: areSpread)
    if areSpread { addSpreadRows(to: &batch) } else { addRows(to: &batch) }
    if !deleted.isEmpty {
      transaction.add(DeleteSightings(keys: deleted.map(\.key)))
    }
    batch.times = batch.write(times, WriteSightings.init)
    batch.closedBreakers = batch.write(closedBreakers, HoldClosedBreakers.init)
    if !events.ofTokens.isEmpty { transaction.add(InsertTokenEvents(events: events.ofTokens)) }
    if !events.ofInstallations.isEmpty {
      transaction.add(InsertInstallationEvents(events: events.ofInstallations))
    }
    return batch
  }

  /// Adds the writes of installations and tokens.
  private func addRows(to batch: inout RoundBatch) {
    if batch.isWhole {
      batch.add(created)
    } else {
      batch.installations.append(batch.write(created, InsertInstallations.init))
    }
    batch.installations.append(batch.write(changed, UpdateInstallations.init))
    batch.installations.append(batch.write(deleted, DeleteInstallations.init))
    batch.tokens = batch.write(ledgerEntries, WriteLedger.init)
  }
}

/// The statements of a round in their transaction, and the rows that they wrote. Ask for rows once
/// the answers are there.
struct RoundBatch {
  let transaction: Transaction
  /// Whether the transaction fails if a row cannot be written.
  let isWhole: Bool
  /// Whether the service counts the rows that were written. If not, SQL does (``WholeBatch``).
  private let countsRows: Bool
  /// For each write whose rows are counted here: whether it has written all.
  private var isComplete: [() -> Bool] = []
  var installations: [() -> [InstallationKey]] = []
  var tokens: () -> [OwnedToken] = { [] }
  fileprivate(set) var times: () -> [InstallationKey] = { [] }
  fileprivate(set) var closedBreakers: () -> [BreakerKey] = { [] }

  fileprivate init(_ transaction: Transaction, isWhole: Bool, countsRows: Bool) {
    self.transaction = transaction
    self.isWhole = isWhole
    self.countsRows = countsRows
  }

  /// Adds a write of some rows.
  /// - Returns: What it has written; nothing if the transaction fails unless it writes all.
  mutating func write<Row, Write: Statement>(
    _ rows: [Row], _ statement: ([Row]) -> Write
  ) -> () -> [Write.Row] {
    guard !rows.isEmpty else { return { [] } }
    if isWhole, !countsRows {
      transaction.add(WholeBatch(write: statement(rows)))
      return { [] }
    }
    let pending = transaction.add(statement(rows))
    guard isWhole else { return { pending.rows } }
    isComplete.append { pending.rows.count == rows.count }
    return { [] }
  }

  /// Adds installations that are new.
  func add(_ installations: [Installation]) {
    if !installations.isEmpty { transaction.add(AddInstallations(installations: installations)) }
  }

  /// Waits for the rows that are counted here.
  fileprivate func check() async throws(PostgresError) {
    guard !isComplete.isEmpty else { return }
    try await transaction.send()
    guard isComplete.allSatisfy({ $0() }) else {
      throw PostgresError(
        .server(sqlState: PostgresError.outrunState), "another writer was faster")
    }
  }
}

/// A write of a batch that fails if it writes fewer rows than the batch has. So the COMMIT can be
/// sent with it, before the answer is there. On Citus ``RoundBatch`` counts instead.
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
