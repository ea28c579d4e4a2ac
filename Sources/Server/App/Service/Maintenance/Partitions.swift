import Postgres
import Registry

/// A table of rows that are only added, with a partition for each month and a default partition for
/// rows of other times.
struct PartitionedTable: Hashable, Sendable {
  let name: String
  /// The time that says which month a row belongs to.
  let column: String
  /// A name of its rows, for people.
  let contents: String

  static let all = [
    Self(name: "token_history", column: "at", contents: "events of tokens"),
    Self(name: "app_history", column: "at", contents: "events of apps"),
    Self(name: "registration_failure", column: "received_at", contents: "failures"),
    Self(name: "audit_log", column: "at", contents: "entries of the audit log"),
  ]

  /// The name of a month's partition: `token_history_2026_11`.
  func partition(_ month: Month) -> String {
    "\(name)_\(month.start.rfc3339.prefix(7))".replacing("-", with: "_")
  }
}

/// A change of a table's partitions.
///
/// Writers lock the table and then the partition that a row goes to. This change does the same, and
/// takes the table's lock before any other. A writer that had chosen the default partition would be
/// refused if the row's month got its own partition meanwhile, so no writer may be between the two
/// steps while a partition is made. The indexes of a partition are made when it is attached, after
/// its rows, which is three times as fast.
enum PartitionChange: Hashable, Sendable, CustomStringConvertible {
  case make(PartitionedTable, Month)
  case drop(PartitionedTable, Month)

  /// The changes that make the missing partitions and drop the partitions that are too old.
  ///
  /// The month of `now` and the next two have partitions: a service that rests for two months
  /// finds its place ready. With 13 months kept, October 2025 is the oldest that November 2026
  /// leaves: a row lives for 13 whole months at least.
  /// - Parameter existing: The names of the table's partitions; partitions with other names stay.
  static func changes(
    of table: PartitionedTable, existing: Set<String>, now: Timestamp, keeping months: Int
  ) -> [Self] {
    let current = Month(of: now)
    let missing = (0...2).map { current + $0 }.filter { !existing.contains(table.partition($0)) }
    // Partitions are looked for by name as far back as the oldest policy reaches, and twice.
    let outdated = (1...2 * Limits.retentionMonths.upperBound).map { current - months - $0 }
      .filter { existing.contains(table.partition($0)) }
    return missing.map { .make(table, $0) } + outdated.reversed().map { .drop(table, $0) }
  }

  /// Rows before this time are older than the policy.
  static func cutoff(_ now: Timestamp, keeping months: Int) -> Timestamp {
    (Month(of: now) - months).start
  }

  /// The commands, which go in one transaction. All names and times in them are made here.
  var sql: String {
    switch self {
    case .make(let table, let month):
      let (name, partition, column) = (table.name, table.partition(month), table.column)
      let (from, to) = (month.start.rfc3339, (month + 1).start.rfc3339)
      return """
        LOCK TABLE ONLY \(name) IN SHARE ROW EXCLUSIVE MODE;
        CREATE TABLE \(partition) (LIKE \(name) INCLUDING CONSTRAINTS);
        WITH moved AS (
          DELETE FROM \(name)_default WHERE \(column) >= '\(from)' AND \(column) < '\(to)'
          RETURNING *
        )
        INSERT INTO \(partition) SELECT * FROM moved;
        ALTER TABLE \(name) ATTACH PARTITION \(partition) FOR VALUES FROM ('\(from)') TO ('\(to)')
        """
    case .drop(let table, let month):
      // The command locks the table first by itself.
      return "DROP TABLE \(table.partition(month))"
    }
  }

  /// The change, for people.
  var description: String {
    switch self {
    case .make(let table, let month): "made \(table.partition(month))"
    case .drop(let table, let month): "dropped \(table.partition(month))"
    }
  }
}
