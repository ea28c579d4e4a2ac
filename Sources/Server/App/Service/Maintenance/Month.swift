import Postgres
import Registry

/// A calendar month in UTC.
struct Month: Hashable, Comparable, Sendable {
  /// Months since the year 0.
  private let number: Int64

  private init(number: Int64) { self.number = number }

  init(of time: Timestamp) {
    let date = time.date
    number = date.year * 12 + date.month - 1
  }

  /// The first instant of the month, where the month before it ends.
  var start: Timestamp {
    Timestamp(year: number / 12, month: number % 12 + 1, day: 1)
  }

  static func + (month: Self, count: Int) -> Self { Self(number: month.number + Int64(count)) }
  static func - (month: Self, count: Int) -> Self { month + -count }
  static func < (left: Self, right: Self) -> Bool { left.number < right.number }
}
