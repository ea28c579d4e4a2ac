internal import ASCII
package import Postgres

/// Points in time as texts of RFC 3339.
extension Timestamp {
  private static let microsecondsPerDay: Int64 = 86_400_000_000

  /// Reads a text of RFC 3339 (``RFC3339/microseconds(_:)``); `nil` for anything else.
  package init?(rfc3339 text: String) {
    guard let microseconds = RFC3339.microseconds(text) else { return nil }
    self.init(microseconds: microseconds)
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
    Self.date(daysSinceEpoch: microseconds.flooredDivision(by: Self.microsecondsPerDay).quotient)
  }

  /// UTC, always with three digits of a second, so that texts have the order of their times:
  /// `2026-05-02T17:32:41.125Z`, `2026-05-02T17:32:41.000Z`.
  package var rfc3339: String {
    let (days, time) = microseconds.flooredDivision(by: Self.microsecondsPerDay)
    let date = Self.date(daysSinceEpoch: days)
    let seconds = time / 1_000_000
    let milliseconds = time / 1000 % 1000
    return String(unsafeUninitializedCapacity: 24) { bytes in
      var count = 0
      func put(_ value: Int64, width: Int, then sign: UInt8) {
        var rest = value
        for place in stride(from: count + width - 1, through: count, by: -1) {
          bytes[place] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
          rest /= 10
        }
        bytes[count + width] = sign
        count += width + 1
      }
      put(date.year, width: 4, then: UInt8(ascii: "-"))
      put(date.month, width: 2, then: UInt8(ascii: "-"))
      put(date.day, width: 2, then: UInt8(ascii: "T"))
      put(seconds / 3600, width: 2, then: UInt8(ascii: ":"))
      put(seconds / 60 % 60, width: 2, then: UInt8(ascii: ":"))
      put(seconds % 60, width: 2, then: UInt8(ascii: "."))
      put(milliseconds, width: 3, then: UInt8(ascii: "Z"))
      return count
    }
  }

  /// The inverse of ``RFC3339/daysSinceEpoch(year:month:day:)``.
  private static func date(daysSinceEpoch days: Int64) -> (year: Int64, month: Int64, day: Int64) {
    let (era, dayOfEra) = (days + 719_468).flooredDivision(by: 146_097)
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shiftedMonth = (5 * dayOfYear + 2) / 153
    let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
    let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    return (year, month, dayOfYear - (153 * shiftedMonth + 2) / 5 + 1)
  }
}
