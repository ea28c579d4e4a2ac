import Postgres
import Testing

@testable import App
@testable import Registry

/// Which partitions there are at which time.
@Suite struct PartitionChangeTests {
  private static let table = PartitionedTable(name: "t", column: "at", contents: "rows")

  static let rows: [(name: String, now: String, existing: [String], months: Int, does: [String])] =
    [
      (
        "the first run", "2026-11-21T20:00:00Z", [], 13,
        ["made t_2026_11", "made t_2026_12", "made t_2027_01"]
      ),
      (
        "a second run in the same month", "2026-11-30T23:59:59.999Z",
        ["t_2026_11", "t_2026_12", "t_2027_01"], 13, []
      ),
      (
        "the next month", "2026-12-01T00:00:00Z", ["t_2026_11", "t_2026_12", "t_2027_01"], 13,
        ["made t_2027_02"]
      ),
      (
        "the turn of a year", "2027-01-01T00:00:00Z", ["t_2026_12", "t_2027_01", "t_2027_02"], 1,
        ["made t_2027_03"]
      ),
      (
        "the last second of a year", "2026-12-31T23:59:59.999Z", [], 1,
        ["made t_2026_12", "made t_2027_01", "made t_2027_02"]
      ),
      (
        "a leap day", "2028-02-29T12:00:00Z", ["t_2028_02"], 13,
        ["made t_2028_03", "made t_2028_04"]
      ),
      (
        "a service that rested for half a year", "2027-06-10T00:00:00Z",
        ["t_2026_11", "t_2026_12", "t_2027_01"], 13,
        ["made t_2027_06", "made t_2027_07", "made t_2027_08"]
      ),
      (
        "a hole", "2026-11-21T20:00:00Z", ["t_2026_11", "t_2027_01"], 13, ["made t_2026_12"]
      ),
      (
        "the oldest month that is kept", "2026-11-21T20:00:00Z",
        ["t_2025_10", "t_2026_11", "t_2026_12", "t_2027_01"], 13, []
      ),
      (
        "months that are older, the oldest first", "2026-11-21T20:00:00Z",
        ["t_2025_09", "t_2024_12", "t_2026_11", "t_2026_12", "t_2027_01"], 13,
        ["dropped t_2024_12", "dropped t_2025_09"]
      ),
      (
        "a policy of one month", "2026-11-01T00:00:00Z",
        ["t_2026_09", "t_2026_10", "t_2026_11", "t_2026_12", "t_2027_01"], 1, ["dropped t_2026_09"]
      ),
      (
        "a policy of ten years", "2026-11-01T00:00:00Z",
        ["t_2016_10", "t_2016_11", "t_2026_11", "t_2026_12", "t_2027_01"], 120,
        ["dropped t_2016_10"]
      ),
      (
        "a clock that went back", "2026-08-01T00:00:00Z", ["t_2026_11", "t_2026_12", "t_2027_01"],
        13, ["made t_2026_08", "made t_2026_09", "made t_2026_10"]
      ),
      (
        "tables of other names", "2026-11-21T20:00:00Z",
        ["t_default", "t_2020_13", "t_old", "u_2020_01", "t_2026_11", "t_2026_12", "t_2027_01"], 13,
        []
      ),
    ]

  @Test(arguments: rows) func changes(
    row: (name: String, now: String, existing: [String], months: Int, does: [String])
  ) throws {
    let changes = PartitionChange.changes(
      of: Self.table, existing: Set(row.existing), now: try #require(Timestamp(rfc3339: row.now)),
      keeping: row.months)
    #expect(changes.map(\.description) == row.does, "\(row.name)")
  }

  @Test(arguments: [
    ("2026-11-21T20:00:00Z", 13, "2025-10-01T00:00:00.000Z"),
    ("2027-01-01T00:00:00Z", 1, "2026-12-01T00:00:00.000Z"),
    ("2028-02-29T23:59:59Z", 12, "2027-02-01T00:00:00.000Z"),
    ("2026-12-31T23:59:59Z", 120, "2016-12-01T00:00:00.000Z"),
  ])
  func whatIsOlderThanThePolicy(now: String, months: Int, cutoff: String) throws {
    let now = try #require(Timestamp(rfc3339: now))
    #expect(PartitionChange.cutoff(now, keeping: months).rfc3339 == cutoff)
  }

  @Test func aMonthEndsWhereTheNextBegins() throws {
    let month = Month(of: try #require(Timestamp(rfc3339: "2026-12-31T23:59:59.999Z")))
    let sql = PartitionChange.make(Self.table, month).sql
    #expect(sql.contains("FROM ('2026-12-01T00:00:00.000Z') TO ('2027-01-01T00:00:00.000Z')"))
  }
}
