import Postgres
import Testing

@testable import App
@testable import Registry

/// When clocks show a time, whatever they do on that day.
@Suite struct LocalClockTests {
  private func seconds(_ text: String) throws -> Int64 {
    try #require(Timestamp(rfc3339: "\(text):00Z")).microseconds / 1_000_000
  }

  private func text(_ seconds: Int64) -> String {
    Timestamp(microseconds: seconds * 1_000_000).rfc3339
  }

  @Test(
    arguments: [
      ("Europe/Berlin", "2026-11-23T09:00", "2026-11-23T08:00:00.000Z"),
      ("Europe/Berlin", "2026-07-23T09:00", "2026-07-23T07:00:00.000Z"),
      ("Asia/Kathmandu", "2026-11-23T09:00", "2026-11-23T03:15:00.000Z"),
      ("America/Los_Angeles", "2026-11-23T23:30", "2026-11-24T07:30:00.000Z"),
      ("Pacific/Kiritimati", "2026-11-23T00:00", "2026-11-22T10:00:00.000Z"),
      ("Etc/GMT+12", "2026-11-23T23:59", "2026-11-24T11:59:00.000Z"),
      ("UTC", "2026-11-23T09:00", "2026-11-23T09:00:00.000Z"),
      // The clocks go from 02:00 to 03:00: any time between is the end of the gap.
      ("Europe/Berlin", "2026-03-29T01:59", "2026-03-29T00:59:00.000Z"),
      ("Europe/Berlin", "2026-03-29T02:00", "2026-03-29T01:00:00.000Z"),
      ("Europe/Berlin", "2026-03-29T02:30", "2026-03-29T01:00:00.000Z"),
      ("Europe/Berlin", "2026-03-29T02:59", "2026-03-29T01:00:00.000Z"),
      ("Europe/Berlin", "2026-03-29T03:00", "2026-03-29T01:00:00.000Z"),
      ("Europe/Berlin", "2026-03-29T03:01", "2026-03-29T01:01:00.000Z"),
      // From 03:00 to 02:00: a time between is there twice, and the first one counts.
      ("Europe/Berlin", "2026-10-25T01:59", "2026-10-24T23:59:00.000Z"),
      ("Europe/Berlin", "2026-10-25T02:00", "2026-10-25T00:00:00.000Z"),
      ("Europe/Berlin", "2026-10-25T02:30", "2026-10-25T00:30:00.000Z"),
      ("Europe/Berlin", "2026-10-25T02:59", "2026-10-25T00:59:00.000Z"),
      ("Europe/Berlin", "2026-10-25T03:00", "2026-10-25T02:00:00.000Z"),
      ("America/New_York", "2026-03-08T02:30", "2026-03-08T07:00:00.000Z"),
      ("America/New_York", "2026-11-01T01:30", "2026-11-01T05:30:00.000Z"),
      // By half an hour.
      ("Australia/Lord_Howe", "2026-10-04T02:15", "2026-10-03T15:30:00.000Z"),
      ("Australia/Lord_Howe", "2026-04-05T01:45", "2026-04-04T14:45:00.000Z"),
      // Samoa had no 30 December 2011.
      ("Pacific/Apia", "2011-12-29T23:59", "2011-12-30T09:59:00.000Z"),
      ("Pacific/Apia", "2011-12-30T09:00", "2011-12-30T10:00:00.000Z"),
      ("Pacific/Apia", "2011-12-31T00:00", "2011-12-30T10:00:00.000Z"),
      ("Pacific/Apia", "2011-12-31T09:00", "2011-12-30T19:00:00.000Z"),
    ] as [(String, String, String)])
  func clocksShowATimeAtOneInstant(timeZone: String, shown: String, expected: String) throws {
    let clock = try #require(LocalClock(timeZone: timeZone))
    #expect(text(clock.firstInstant(showing: try seconds(shown))) == expected)
  }

  @Test(
    arguments: [
      ("2026-11-23T07:59", "09:00", "2026-11-23T08:00:00.000Z"),
      ("2026-11-23T08:00", "09:00", "2026-11-23T08:00:00.000Z"),
      ("2026-11-23T08:01", "09:00", "2026-11-24T08:00:00.000Z"),
      // In Berlin it is the next day already.
      ("2026-11-22T23:30", "00:15", "2026-11-23T23:15:00.000Z"),
      ("2026-11-22T23:30", "00:45", "2026-11-22T23:45:00.000Z"),
      // In the gap, and behind it.
      ("2026-03-29T00:30", "02:30", "2026-03-29T01:00:00.000Z"),
      ("2026-03-29T01:01", "02:30", "2026-03-30T00:30:00.000Z"),
      // Between the first and the second of the two.
      ("2026-10-25T00:15", "02:30", "2026-10-25T00:30:00.000Z"),
      ("2026-10-25T00:45", "02:30", "2026-10-26T01:30:00.000Z"),
    ])
  func theNextTimeIsNotBehind(now: String, time: String, expected: String) throws {
    let clock = try #require(LocalClock(timeZone: "Europe/Berlin"))
    let instant = clock.nextInstant(
      showing: try seconds("1970-01-01T\(time)"), from: try seconds(now))
    #expect(text(instant) == expected)
  }

  /// The definition itself, second by second, for clocks that are made up.
  @Test(
    arguments: [
      (7200, 3600), (3600, 7200), (-43_200, 50_400), (50_400, -36_000), (5400, 5399), (0, 1),
      (0, 0),
    ] as [(Int64, Int64)])
  func noEarlierInstantShowsTheTimeOrALaterOne(before: Int64, behind: Int64) {
    let change: Int64 = 1_000_000
    let clock = LocalClock { $0 < change ? before : behind }
    for distance in stride(from: Int64(-60_000), through: 60_000, by: 4999) {
      let reading = change + before + distance
      let instant = clock.firstInstant(showing: reading)
      let window = (instant - 100_000)...(instant + 10)
      let first = window.first { $0 + ($0 < change ? before : behind) >= reading }
      #expect(first == instant, "\(distance)")
    }
  }

  @Test func whatIsNoTimeZoneHasNoClock() {
    #expect(LocalClock(timeZone: "Mars/Olympus_Mons") == nil)
  }
}
