internal import DeviceProfile
import Postgres

extension RoundWrites {
  /// Adds the writes of installations and tokens, where Citus spreads both over servers. The
  /// service counts the rows: if SQL counted them, Citus would write them to disk first.
  func addSpreadRows(to batch: inout RoundBatch) {
    let apps = Set(created.map(\.appID)).union(ledgerEntries.map(\.token.appID))
    if !apps.isEmpty { batch.transaction.add(LockApps(ids: Array(apps))) }
    guard batch.isWhole else {
      batch.installations = [
        batch.write(created, InsertInstallations.init),
        batch.write(changed, RouteInstallations.init),
        batch.write(deleted, DeleteInstallations.init),
      ]
      batch.tokens = batch.write(ledgerEntries, RouteLedger.init)
      return
    }
    // Of an UPDATE Citus sends all rows to every shard, of an INSERT each row to its own shard.
    _ = batch.write(replaced + deleted, DeleteInstallations.init)
    batch.add(created + changed)
    let new = ledgerEntries.filter(\.isOfNewToken)
    if !new.isEmpty { batch.transaction.add(AddTokens(entries: new)) }
    batch.tokens = batch.write(ledgerEntries.filter { !$0.isOfNewToken }, RouteLedger.init)
  }
}

/// Like ``WriteLedger``, where Citus spreads the ledger over servers. Each row is a statement of
/// its own and goes to its server directly. With arrays Citus would write the rows to disk first:
/// 64 rows on 32 shards take 13 ms this way, and 170 ms as arrays. Nobody asks whether the owner of
/// a token is gone, as it may be on another server.
struct RouteLedger: Statement {
  typealias Row = OwnedToken
  static let sql = text(rows: 1)
  var ownText: String? { Self.text(rows: entries.count) }

  private static let types = [
    "int4", "text", "text", "bytea", "uuid", "timestamptz", "uuid", "int2", "timestamptz", "uuid[]",
    "timestamptz[]",
  ]

  private static func text(rows: Int) -> String {
    var number = 0
    let values = (0..<rows).map { _ in
      let row = types.map { type in
        number += 1
        return "$\(number)::\(type)"
      }
      return "(\(row.joined(separator: ", ")))"
    }
    return """
      \(WriteLedger.insertion)
      VALUES \(values.joined(separator: ",\n  "))
      \(WriteLedger.conflict)
      \(WriteLedger.returned)
      """
  }

  /// At least one.
  let entries: [LedgerEntry]

  func bind(to parameters: inout Parameters) {
    for entry in entries {
      parameters.append(
        entry.token.appID, entry.token.key.environment.rawValue, entry.token.key.kind.rawValue,
        Bytea(entry.token.key.token.bytes), entry.owner?.uuid, entry.registeredAt,
        entry.previousOwner?.uuid, entry.takeovers?.count, entry.takeovers?.since)
      let owners = entry.takeovers.map(\.formerOwners).flatMap { $0.isEmpty ? nil : $0 }
      parameters.append(owners.map { $0.map(\.id.uuid) }, owners.map { $0.map(\.until) })
    }
  }
}

/// Writes tokens into the ledger that it has never had. One that is there fails the whole batch.
/// Citus copies such rows to their servers, which is its fastest way.
struct AddTokens: Statement {
  static let sql = """
    \(WriteLedger.insertion)
    \(WriteLedger.source)
    """
  let entries: [LedgerEntry]

  func bind(to parameters: inout Parameters) { WriteLedger(entries: entries).bind(to: &parameters) }
}

extension LedgerEntry {
  /// Whether the token is probably new to the ledger: nobody had it when this was decided.
  var isOfNewToken: Bool { owner != nil && previousOwner == nil && takeovers == nil }
}

/// Holds apps in place until the end of the transaction, as foreign keys do; fails as they do when
/// one is gone. Tables that Citus spreads have no foreign keys to those that it does not.
struct LockApps: Statement {
  static let sql = "SELECT FROM app WHERE id = ANY ($1) ORDER BY id FOR KEY SHARE"
  static let distributedSQL: String? = "SELECT FROM lock_apps($1)"
  let ids: [Int32]

  func bind(to parameters: inout Parameters) { parameters.append(ids) }
}
