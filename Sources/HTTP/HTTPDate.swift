internal import ASCII

/// Dates as HTTP writes them (RFC 9110 section 5.6.7).
///
///     784111777     Sun, 06 Nov 1994 08:49:37 GMT
public enum HTTPDate {
  /// An IMF-fixdate: 29 bytes.
  ///
  /// - Parameter seconds: since 1970 UTC; what is outside the years 1970 to 9999 becomes the
  ///   nearest second within.
  public static func format(secondsSince1970 seconds: Int) -> [UInt8] {
    let seconds = min(max(seconds, 0), 253_402_300_799)
    let (days, second) = seconds.quotientAndRemainder(dividingBy: 86_400)
    let (year, month, day) = civilDate(daysSince1970: days)

    var text: [UInt8] = []
    text.reserveCapacity(29)
    // 1970-01-01 was a Thursday.
    text += "ThuFriSatSunMonTueWed".utf8.dropFirst(days % 7 * 3).prefix(3)
    text += ", ".utf8
    text += digits(day, 2)
    text.append(UInt8(ascii: " "))
    text += "JanFebMarAprMayJunJulAugSepOctNovDec".utf8.dropFirst(month * 3 - 3).prefix(3)
    text.append(UInt8(ascii: " "))
    text += digits(year, 4)
    text.append(UInt8(ascii: " "))
    text += digits(second / 3_600, 2)
    text.append(UInt8(ascii: ":"))
    text += digits(second / 60 % 60, 2)
    text.append(UInt8(ascii: ":"))
    text += digits(second % 60, 2)
    text += " GMT".utf8
    return text
  }

  /// The seconds since 1970 UTC of an IMF-fixdate, whose day of the week may be any; nil for
  /// anything else.
  public static func secondsSince1970(_ text: String) -> Int? {
    guard text.utf8.count == 29 else { return nil }
    let bytes = Array(text.utf8)
    guard let day = number(bytes[5..<7]),
      let month = months[String(decoding: bytes[8..<11], as: UTF8.self)],
      let year = number(bytes[12..<16]), let hour = number(bytes[17..<19]),
      let minute = number(bytes[20..<22]), let second = number(bytes[23..<25])
    else { return nil }
    let days = daysSince1970(year: year, month: month, day: day)
    let seconds = days * 86_400 + hour * 3_600 + minute * 60 + second
    // A day that its month has not, or another sign between the numbers, is written differently.
    return format(secondsSince1970: seconds).dropFirst(3) == bytes.dropFirst(3) ? seconds : nil
  }

  private static let months = Dictionary(
    uniqueKeysWithValues: zip(
      ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"], 1...))

  private static func number(_ digits: ArraySlice<UInt8>) -> Int? {
    guard digits.allSatisfy(\.isASCIIDigit) else { return nil }
    return digits.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
  }

  /// The way back of `civilDate`.
  private static func daysSince1970(year: Int, month: Int, day: Int) -> Int {
    let fromMarch = month > 2 ? (year, month - 3) : (year - 1, month + 9)
    let (era, yearOfEra) = (fromMarch.0 + 400).quotientAndRemainder(dividingBy: 400)
    let dayOfEra =
      yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + (153 * fromMarch.1 + 2) / 5 + day - 1
    return (era - 1) * 146_097 + dayOfEra - 719_468
  }

  /// Counts from 0000-03-01, so that a leap day is the last day of its year; 400 years are
  /// 146,097 days, and the months from March on begin at day (153 m + 2) / 5.
  private static func civilDate(daysSince1970: Int) -> (year: Int, month: Int, day: Int) {
    let (era, dayOfEra) = (daysSince1970 + 719_468).quotientAndRemainder(dividingBy: 146_097)
    let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let monthFromMarch = (5 * dayOfYear + 2) / 153
    let day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
    let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
    return (era * 400 + yearOfEra + (month <= 2 ? 1 : 0), month, day)
  }

  private static func digits(_ number: Int, _ width: Int) -> [UInt8] {
    var digits = [UInt8](repeating: UInt8(ascii: "0"), count: width)
    var rest = number
    for index in digits.indices.reversed() {
      digits[index] += UInt8(rest % 10)
      rest /= 10
    }
    return digits
  }
}
