internal import ASCII

/// Dates as HTTP writes them (RFC 9110 section 5.6.7).
///
///     784111777     Sun, 06 Nov 1994 08:49:37 GMT
public enum HTTPDate {
  /// An IMF-fixdate: 29 bytes.
  ///
  /// - Parameter seconds: since 1970 UTC; a time outside the years 1970 to 9999 becomes the nearest
  ///   second within.
  public static func format(secondsSince1970 seconds: Int) -> [UInt8] {
    let seconds = min(max(seconds, 0), 253_402_300_799)
    let (days, iso) = (seconds / 86_400, RFC3339.text(microseconds: Int64(seconds) * 1_000_000))
    // 1970-01-01 was a Thursday.
    let weekday = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"][days % 7]
    let month = months[Int(RFC3339.date(daysSinceEpoch: Int64(days)).month) - 1]
    let (year, day) = (iso.prefix(4), iso.dropFirst(8).prefix(2))
    let clock = iso.dropFirst(11).prefix(8)
    return Array("\(weekday), \(day) \(month) \(year) \(clock) GMT".utf8)
  }

  /// The seconds since 1970 UTC of an IMF-fixdate, whose day of the week may be any; nil for
  /// anything else.
  public static func secondsSince1970(_ text: String) -> Int? {
    guard text.utf8.count == 29,
      case let words = text.split(separator: " ", omittingEmptySubsequences: false),
      words.count == 6, let month = months.firstIndex(of: words[2]),
      let time = RFC3339.microseconds(
        "\(words[3])-\(String(month + 101).dropFirst())-\(words[1])T\(words[4])Z")
    else { return nil }
    let seconds = Int(time / 1_000_000)
    // Another sign between the words, or the second 60, is written differently.
    return format(secondsSince1970: seconds).dropFirst(3) == Array(text.utf8).dropFirst(3)
      ? seconds : nil
  }

  private static let months: [Substring] = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]
}
