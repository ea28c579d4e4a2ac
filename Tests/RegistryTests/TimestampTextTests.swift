import Postgres
import Testing

@testable import Registry

@Suite struct TimestampTextTests {
  @Test(
    arguments: [
      ("1970-01-01T00:00:00.000Z", 0),
      ("2000-02-29T00:00:00.000Z", 951_782_400_000_000),
      ("2026-05-02T19:32:41.000Z", 1_777_750_361_000_000),
      ("2026-05-02T19:32:41.125Z", 1_777_750_361_125_000),
      ("1969-12-31T23:59:59.999Z", -1000),
      ("0001-01-01T00:00:00.000Z", -62_135_596_800_000_000),
      ("9999-12-31T23:59:59.000Z", 253_402_300_799_000_000),
    ] as [(String, Int64)])
  func bothWays(text: String, microseconds: Int64) {
    #expect(Timestamp(rfc3339: text)?.microseconds == microseconds)
    #expect(Timestamp(microseconds: microseconds).rfc3339 == text)
  }

  @Test(arguments: [
    ("2026-05-02t19:32:41z", "2026-05-02T19:32:41.000Z"),
    ("2026-05-02 21:32:41+02:00", "2026-05-02T19:32:41.000Z"),
    ("2026-05-02T00:02:41-05:30", "2026-05-02T05:32:41.000Z"),
    ("2026-01-01T00:30:00+01:00", "2025-12-31T23:30:00.000Z"),
    ("2026-05-02T19:32:41.123456789Z", "2026-05-02T19:32:41.123Z"),
    ("2016-12-31T23:59:60Z", "2017-01-01T00:00:00.000Z"),
  ])
  func otherSpellingsOfATimeAreRead(text: String, shown: String) {
    #expect(Timestamp(rfc3339: text)?.rfc3339 == shown)
  }

  @Test func textsHaveTheOrderOfTheirTimes() {
    let texts = (-1002...1002).map { Timestamp(microseconds: $0 * 1000).rfc3339 }
    #expect(texts == texts.sorted())
  }

  @Test(
    arguments: [
      "", "2026-05-02", "2026-05-02T19:32:41", "2026-13-02T19:32:41Z", "2026-02-29T00:00:00Z",
      "2026-05-02T24:00:00Z", "2026-05-02T19:60:00Z", "2026-05-02T19:32:61Z",
      "2026-05-02T19:32:41.Z", "2026-05-02T19:32:41Zx", "2026-05-02T19:32:41+0200",
      "1777750361", "2026-00-02T19:32:41Z", "2026-04-31T19:32:41Z",
    ])
  func noTimes(text: String) { #expect(Timestamp(rfc3339: text) == nil) }
}
