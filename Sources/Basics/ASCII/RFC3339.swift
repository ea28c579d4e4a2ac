/// Points in time as texts of RFC 3339, by hand: Foundation's parser costs several microseconds a
/// value, takes days that no month has, and is not strict about offsets.
public enum RFC3339 {
  private static let microsecondsPerDay: Int64 = 86_400_000_000

  /// The microseconds since 1970 of the years 0000 to 9999 in UTC, which have a text.
  public static let writable: ClosedRange<Int64> = -62_167_219_200_000_000...253_402_300_799_999_999

  /// Parses `2026-05-02T19:32:41.125+02:00` (RFC 3339, section 5.6): upper or lower case `T` and
  /// `Z`, any offset, any number of fractional digits (cut to microseconds), and the leap second
  /// 60 as the next second. `nil` for anything else.
  /// - Returns: Microseconds since 1970.
  public static func microseconds(_ text: String) -> Int64? {
    var scanner = DigitScanner(text)
    guard let year = scanner.number(4), scanner.skip("-"), let month = scanner.number(2),
      (1...12).contains(month), scanner.skip("-"), let day = scanner.number(2),
      (1...days(inMonth: month, of: year)).contains(day),
      scanner.skip("T") || scanner.skip("t") || scanner.skip(" "),
      let hour = scanner.number(2), hour < 24, scanner.skip(":"),
      let minute = scanner.number(2), minute < 60, scanner.skip(":"),
      let second = scanner.number(2), second <= 60
    else { return nil }
    var fraction: Int64 = 0
    if scanner.skip(".") {
      guard let microseconds = scanner.microseconds() else { return nil }
      fraction = microseconds
    }
    var offsetMinutes: Int64 = 0
    if !(scanner.skip("Z") || scanner.skip("z")) {
      let isEast = scanner.skip("+")
      guard isEast || scanner.skip("-"), let hours = scanner.number(2), hours < 24,
        scanner.skip(":"), let minutes = scanner.number(2), minutes < 60
      else { return nil }
      offsetMinutes = (hours * 60 + minutes) * (isEast ? 1 : -1)
    }
    guard scanner.isAtEnd else { return nil }
    let days = daysSinceEpoch(year: year, month: month, day: day)
    let minutes = hour * 60 + minute - offsetMinutes
    let microseconds =
      days * microsecondsPerDay + (minutes * 60 + second) * 1_000_000 + fraction
    return writable.contains(microseconds) ? microseconds : nil
  }

  /// UTC, always with three digits of a second, so that texts have the order of their times:
  /// `2026-05-02T17:32:41.125Z`, `2026-05-02T17:32:41.000Z`.
  /// - Parameter microseconds: since 1970, within ``writable``.
  public static func text(microseconds: Int64) -> String {
    let (days, time) = microseconds.flooredDivision(by: microsecondsPerDay)
    let date = date(daysSinceEpoch: days)
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

  /// Days since 1970-01-01 in the proleptic Gregorian calendar. The year begins in March, so that
  /// the leap day is its last: 1970-01-01 → 0, 2000-02-29 → 11016.
  public static func daysSinceEpoch(year: Int64, month: Int64, day: Int64) -> Int64 {
    let shifted = month <= 2 ? year - 1 : year
    let (era, yearOfEra) = shifted.flooredDivision(by: 400)
    let dayOfYear = (153 * ((month + 9) % 12) + 2) / 5 + day - 1
    return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
  }

  /// The inverse of ``daysSinceEpoch(year:month:day:)``.
  public static func date(
    daysSinceEpoch days: Int64
  ) -> (year: Int64, month: Int64, day: Int64) {
    let (era, dayOfEra) = (days + 719_468).flooredDivision(by: 146_097)
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shiftedMonth = (5 * dayOfYear + 2) / 153
    let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
    let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    return (year, month, dayOfYear - (153 * shiftedMonth + 2) / 5 + 1)
  }

  private static func days(inMonth month: Int64, of year: Int64) -> Int64 {
    switch month {
    case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }
}

extension Int64 {
  /// Division towards negative infinity, so that the remainder is never negative.
  package func flooredDivision(by divisor: Int64) -> (quotient: Int64, remainder: Int64) {
    let remainder = (self % divisor + divisor) % divisor
    return ((self - remainder) / divisor, remainder)
  }
}

/// Reads fixed-width numbers from ASCII text.
private struct DigitScanner {
  private var rest: Substring.UTF8View

  init(_ text: String) { rest = Substring(text).utf8 }

  var isAtEnd: Bool { rest.isEmpty }

  mutating func skip(_ sign: Unicode.Scalar) -> Bool {
    guard rest.first == UInt8(ascii: sign) else { return false }
    rest.removeFirst()
    return true
  }

  mutating func number(_ width: Int) -> Int64? {
    var value: Int64 = 0
    for _ in 0..<width {
      guard let digit = rest.first, digit.isASCIIDigit else { return nil }
      value = value * 10 + Int64(digit - UInt8(ascii: "0"))
      rest.removeFirst()
    }
    return value
  }

  /// One or more fractional digits as microseconds.
  mutating func microseconds() -> Int64? {
    guard rest.first?.isASCIIDigit == true else { return nil }
    var value: Int64 = 0
    var scale: Int64 = 100_000
    while let digit = rest.first, digit.isASCIIDigit {
      value += Int64(digit - UInt8(ascii: "0")) * scale
      scale /= 10
      rest.removeFirst()
    }
    return value
  }
}
