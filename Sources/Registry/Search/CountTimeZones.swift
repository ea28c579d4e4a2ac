package import Postgres

/// How many installations that a filter lets through are in each time zone: the most frequent time
/// zones, so many at most, and beside each how many installations there are in all.
package struct CountTimeZones: ConditionedStatement {
  package static func text(and condition: String) -> String {
    """
    SELECT time_zone, count(*), (sum(count(*)) OVER ())::int8
    FROM installation WHERE \(InstallationFilter.condition)\(condition)
    GROUP BY time_zone ORDER BY count(*) DESC, time_zone LIMIT \(InstallationFilter.parameter(1))
    """
  }

  package let filter: InstallationFilter
  /// Only these installations.
  package let ids: [InstallationID]?
  package let limit: Int
  package let condition: ConditionText?

  /// A count.
  package init(filter: InstallationFilter, ids: [InstallationID]?, limit: Int) {
    self.filter = filter
    self.ids = ids
    self.limit = limit
    condition = filter.partsText(behind: 1)
  }

  package func bind(to parameters: inout Parameters) {
    filter.bind(ids: ids, to: &parameters)
    parameters.append(Int64(limit))
    parameters.append(condition)
  }

  package static func decode(
    _ row: inout RowReader
  ) throws(PostgresError) -> (timeZone: String?, count: Int64, total: Int64) {
    (try row.nextOptional(), try row.next(), try row.next())
  }
}
