package import Postgres

/// How many installations are in a time zone.
package struct TimeZoneCount: Sendable {
  package let timeZone: String?
  package let count: Int64
  /// How many installations there are in all time zones.
  package let total: Int64
}

extension Command where Self == Query<TimeZoneCount> {
  /// How many installations that a filter lets through are in each time zone: the most frequent
  /// time zones, so many at most.
  package static func countTimeZones(
    of filter: InstallationFilter, ids: [InstallationID]?, limit: Int
  ) -> Self {
    Query(
      """
      SELECT time_zone, count(*), (sum(count(*)) OVER ())::int8
      FROM installation WHERE \(filter.condition(ids))
      GROUP BY time_zone ORDER BY count(*) DESC, time_zone LIMIT \(Int64(limit))
      """, into: TimeZoneCount.init)
  }
}
