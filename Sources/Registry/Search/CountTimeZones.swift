package import Postgres

/// How many installations that a filter lets through are in each time zone: the most frequent time
/// zones, so many at most, and beside each how many installations there are in all.
package struct CountTimeZones: Statement {
  package static let sql = text(where: InstallationFilter.condition)
  package var ownText: String? {
    parts.map { Self.text(where: InstallationFilter.condition + $0.sql) }
  }

  private static func text(where condition: String) -> String {
    """
    SELECT time_zone, count(*), (sum(count(*)) OVER ())::int8
    FROM installation WHERE \(condition)
    GROUP BY time_zone ORDER BY count(*) DESC, time_zone LIMIT \(InstallationFilter.parameter(1))
    """
  }

  package static var isPlannedEachTime: Bool { true }

  package let filter: InstallationFilter
  /// Only these installations.
  package let ids: [InstallationID]?
  package let limit: Int
  private let parts: ConditionText?

  /// A count.
  package init(filter: InstallationFilter, ids: [InstallationID]?, limit: Int) {
    self.filter = filter
    self.ids = ids
    self.limit = limit
    parts = filter.partsText(behind: 1)
  }

  package func bind(to parameters: inout Parameters) {
    filter.bind(ids: ids, to: &parameters)
    parameters.append(Int64(limit))
    parameters.append(parts)
  }

  package static func decode(
    _ row: inout RowReader
  ) throws(PostgresError) -> (timeZone: String?, count: Int64, total: Int64) {
    (try row.nextOptional(), try row.next(), try row.next())
  }
}
