/// Which records are written, and which are only counted as they repeat. A standby that is down:
///
///     0 s      replica_failed cause=refused                  is written
///     1–59 s   471 more                                      are counted
///     60 s     replica_failed cause=refused repeated=471     is due
///     60–70 s  80 more                                       are counted
///     120 s    replica_failed cause=refused repeated=80      is due
///     180 s    replica_failed cause=refused ended=true times=552 seconds=70
///
/// A record that came once, and not again within the minute, is forgotten without a word. Records
/// with the same event and the same ``LogRecord/subject`` are one run. Of an event, a bounded
/// number of runs is told apart; all that come beyond them are one run more, `others=true`.
struct RepeatedRecords {
  /// Records that repeat, from the first on.
  private struct Run {
    let subject: LogRecord
    let first: UInt64
    var last: UInt64
    /// When it is looked at next.
    var due: UInt64
    var times = 1
    /// Records that no line has told of.
    var untold = 0

    var repeated: LogRecord { subject.with(["repeated": .integer(untold)]) }

    var ended: LogRecord {
      let seconds = Int((last - first) / 1_000_000_000)
      return subject.with(["ended": true, "times": .integer(times), "seconds": .integer(seconds)])
    }
  }

  private let period: UInt64
  private let limit: Int
  /// By the line of the subject: bytes, as a cause may have text from outside.
  private var runs: [[UInt8]: Run] = [:]

  /// - Parameters:
  ///   - period: Nanoseconds after which a run is counted, or over.
  ///   - limit: Runs of one event that are told apart.
  init(period: UInt64 = Limits.repetitionNanoseconds, limit: Int = Limits.runsOfAnEvent) {
    self.period = period
    self.limit = limit
  }

  /// When something is due; `nil` while nothing is remembered.
  var next: UInt64? { runs.values.lazy.map(\.due).min() }

  /// Takes a record; the times of calls never decrease.
  /// - Returns: Whether it is written now.
  mutating func isNews(_ record: LogRecord, at now: UInt64) -> Bool {
    guard record.repetition == .counted else { return true }
    var subject = record.subject
    var key = Self.key(subject)
    if runs[key] == nil, runs.values.count(where: { $0.subject.event == record.event }) >= limit {
      subject = record.beyondBound
      key = Self.key(subject)
    }
    guard var run = runs[key] else {
      runs[key] = Run(subject: subject, first: now, last: now, due: now + period)
      return true
    }
    run.times += 1
    run.untold += 1
    run.last = now
    runs[key] = run
    return false
  }

  /// The lines that are due: what repeated since the line before, and the ends, in the order in
  /// which the runs began.
  mutating func due(at now: UInt64) -> [LogRecord] {
    var told: [(first: UInt64, line: LogRecord)] = []
    for (key, var run) in runs where run.due <= now {
      if run.untold > 0 {
        told.append((run.first, run.repeated))
        run.untold = 0
        run.due = now + period
        runs[key] = run
      } else {
        if run.times > 1 { told.append((run.first, run.ended)) }
        runs[key] = nil
      }
    }
    return told.sorted { $0.first < $1.first }.map(\.line)
  }

  /// The lines for records that no line has told of yet, for the end of the log. Nothing is
  /// remembered then.
  mutating func rest() -> [LogRecord] {
    defer { runs = [:] }
    return runs.values.filter { $0.untold > 0 }.sorted { $0.first < $1.first }.map(\.repeated)
  }

  private static func key(_ subject: LogRecord) -> [UInt8] {
    var line: [UInt8] = []
    LogFormat.text.append(subject, microseconds: 0, to: &line)
    return line
  }
}
