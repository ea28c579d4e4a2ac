internal import EventLoop
internal import Postgres
internal import Synchronization

/// The time of the database, which all its instances share. One instance writes a time down,
/// another compares it with its own time, and no two machines have quite the same time.
///
/// The database is asked for its time at the start and every few seconds. In between time goes on
/// by the clock that never jumps. An answer only bounds the time, as it took a while to arrive; the
/// clock is moved into these bounds, and not at all when it is within them. Asked at 100 and
/// answered at 102 with "300", it is 300 to 302:
///
/// | the clock said | then it says |
/// |---|---|
/// | 301 | 301 |
/// | 290 | 300 |
/// | 3900, an hour ahead | 302 |
final class DatabaseClock: Sendable {
  /// The microseconds to add to the clock that never jumps.
  private let offset: Atomic<Int64>

  /// - Parameter time: The time that counts until the database says its own.
  init(startingAt time: Timestamp) {
    offset = Atomic(time.microseconds - Self.monotonic(Monotonic.now()))
  }

  private static func monotonic(_ nanoseconds: UInt64) -> Int64 { Int64(nanoseconds / 1000) }

  var now: Timestamp {
    Timestamp(
      microseconds: Self.monotonic(Monotonic.now()) + offset.load(ordering: .relaxed))
  }

  /// Takes a time that the database has said.
  /// - Parameters:
  ///   - asked: When the question went out, by the clock that never jumps.
  ///   - answered: When the answer was there.
  func hear(_ time: Timestamp, asked: UInt64, answered: UInt64 = Monotonic.now()) {
    let known = offset.load(ordering: .relaxed)
    offset.store(
      Self.bounded(known, time, asked: asked, answered: answered), ordering: .relaxed)
  }

  /// The offset that an answer allows and that is nearest to a known offset.
  static func bounded(
    _ known: Int64, _ time: Timestamp, asked: UInt64, answered: UInt64
  ) -> Int64 {
    let earliest = time.microseconds - monotonic(answered)
    let latest = time.microseconds - monotonic(asked)
    return min(max(known, earliest), latest)
  }

  /// Asks the database for its time.
  func ask(_ database: PostgresClient) async throws(PostgresError) {
    let asked = Monotonic.now()
    if let time = try await database.read(DatabaseTime()).first { hear(time, asked: asked) }
  }
}
