internal import FoundationEssentials
internal import FoundationInternationalization

/// When the clocks of a time zone show a time. Instants are seconds since 1970. A clock reading is
/// written as the instant at which the clocks of UTC show it.
///
/// The answer is always the first instant at which the clocks show that time or a later one. So
/// there is one answer, whatever the clocks do:
///
/// | in Berlin | the clocks | show | at |
/// |---|---|---|---|
/// | 2026-11-23 | go on | 09:00 | 08:00Z |
/// | 2026-03-29 | go from 02:00 to 03:00 at 01:00Z | 02:30 | 01:00Z, the end of the gap |
/// | 2026-10-25 | go from 03:00 to 02:00 at 01:00Z | 02:30 | 00:30Z, the first of the two |
struct LocalClock {
  /// Seconds that the clocks are ahead of UTC at an instant.
  let offset: (Int64) -> Int64

  /// No clock ever was farther from UTC than 15 hours and 14 minutes. Within twice that span no
  /// time zone has changed its offset and changed it back.
  private static let farthest: Int64 = 16 * 3600
  private static let day: Int64 = 86_400

  init(offset: @escaping (Int64) -> Int64) { self.offset = offset }

  /// The clocks of a time zone; `nil` when this server's data does not know it.
  init?(timeZone identifier: String) {
    guard let timeZone = TimeZone(identifier: identifier) else { return nil }
    offset = { instant in
      Int64(timeZone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(instant))))
    }
  }

  /// The first instant at which the clocks show this or a later time.
  func firstInstant(showing reading: Int64) -> Int64 {
    let latest = reading + Self.farthest
    var start = reading - Self.farthest
    while true {
      let instant = max(start, reading - offset(start))
      guard let change = firstChange(after: start, until: latest), instant >= change else {
        return instant
      }
      start = change
    }
  }

  /// The next instant, this one or a later one, at which the clocks first show a time of day.
  /// - Parameter time: Seconds of the day.
  func nextInstant(showing time: Int64, from now: Int64) -> Int64 {
    let shown = now + offset(now)
    let today = shown - ((shown % Self.day) + Self.day) % Self.day
    let instant = firstInstant(showing: today + time)
    return instant >= now ? instant : firstInstant(showing: today + Self.day + time)
  }

  /// The first instant at which the offset is another one than at the start.
  private func firstChange(after start: Int64, until end: Int64) -> Int64? {
    let present = offset(start)
    guard offset(end) != present else { return nil }
    var (before, behind) = (start, end)
    while behind - before > 1 {
      let middle = before + (behind - before) / 2
      if offset(middle) == present { before = middle } else { behind = middle }
    }
    return behind
  }
}
