internal import ASCII
package import Postgres

/// Points in time: how far apart they are, their days, and their texts of RFC 3339.
extension Timestamp {
  private static let microsecondsPerDay: Int64 = 86_400_000_000

  /// Reads a text of RFC 3339 (``RFC3339/microseconds(_:)``); `nil` for anything else.
  package init?(rfc3339 text: String) {
    guard let microseconds = RFC3339.microseconds(text) else { return nil }
    self.init(microseconds: microseconds)
  }

  /// The time so much later; if that lies beyond the last or the first time that there is, this
  /// last or first time.
  package func advanced(by duration: Duration) -> Timestamp {
    let (sum, isBeyond) = microseconds.addingReportingOverflow(duration.microseconds)
    return Timestamp(microseconds: isBeyond ? duration < .zero ? .min : .max : sum)
  }

  /// How long ago another time was, in microseconds; the most or the least that there is if the age
  /// lies beyond it, as with a stored time that nobody wrote.
  package func microseconds(since other: Timestamp) -> Int64 {
    let (age, isBeyond) = microseconds.subtractingReportingOverflow(other.microseconds)
    return isBeyond ? self < other ? .min : .max : age
  }

  /// Without its microseconds: what is stored is what is shown.
  package var wholeMilliseconds: Timestamp {
    Timestamp(microseconds: microseconds.flooredDivision(by: 1000).quotient * 1000)
  }

  /// The years 0000 to 9999 in UTC: an offset can lead out of them, and then there is no text.
  package static let writable = RFC3339.writable

  /// The first instant of a day in UTC; month and day are those of the calendar.
  package init(year: Int64, month: Int64, day: Int64) {
    let days = RFC3339.daysSinceEpoch(year: year, month: month, day: day)
    self.init(microseconds: days * Self.microsecondsPerDay)
  }

  /// Its day in UTC.
  package var date: (year: Int64, month: Int64, day: Int64) {
    RFC3339.date(daysSinceEpoch: microseconds.flooredDivision(by: Self.microsecondsPerDay).quotient)
  }

  /// As texts of the API have it (``RFC3339/text(microseconds:)``). A stored time that has no text
  /// is shown as the first or the last that has one: somebody may have repaired the row by hand.
  package var rfc3339: String {
    let writable = Self.writable
    return RFC3339.text(
      microseconds: min(max(microseconds, writable.lowerBound), writable.upperBound))
  }
}

extension Duration {
  /// In whole microseconds; the most or the least that there is if the duration lies beyond it.
  package var microseconds: Int64 {
    let (whole, isBeyond) = components.seconds.multipliedReportingOverflow(by: 1_000_000)
    let (sum, isFurther) = whole.addingReportingOverflow(components.attoseconds / 1_000_000_000_000)
    return isBeyond || isFurther ? self < .zero ? .min : .max : sum
  }
}
