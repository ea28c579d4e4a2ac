import Dispatch
import Synchronization
import Testing

@testable import Telemetry

/// Events that repeat: told once, then counted, then their end.
@Suite struct RepeatedRecordsTests {
  enum Step: Sendable {
    /// At a second, a record comes; it is written or not.
    case comes(UInt64, LogRecord, isWritten: Bool)
    /// At a second, these lines are due.
    case due(UInt64, [LogRecord])
    case rest([LogRecord])
  }

  private static func failed(_ cause: LogValue) -> LogRecord {
    LogRecord(.warning, "failed", ["cause": cause, "retry_after_ms": 250])
  }
  private static func repeated(_ cause: LogValue, _ count: Int) -> LogRecord {
    LogRecord(
      .warning, "failed", ["cause": cause, "repeated": .integer(count)], repetition: .written)
  }
  private static func ended(_ cause: LogValue, times: Int, seconds: Int) -> LogRecord {
    LogRecord(
      .warning, "failed",
      ["cause": cause, "ended": true, "times": .integer(times), "seconds": .integer(seconds)],
      repetition: .written)
  }
  private static func others(_ count: Int) -> LogRecord {
    LogRecord(
      .warning, "failed", ["others": true, "repeated": .integer(count)], repetition: .written)
  }
  private static func rejected(_ client: LogValue) -> LogRecord {
    LogRecord(.info, "rejected", ["code": "bad", "client": client])
  }
  private static let call = LogRecord(.error, "request", ["status": 500], repetition: .written)

  @Test(
    arguments: [
      // Told once, counted each minute, and its end.
      [
        .comes(0, failed("a"), isWritten: true), .comes(1, failed("a"), isWritten: false),
        .comes(59, failed("a"), isWritten: false), .due(59, []), .due(60, [repeated("a", 2)]),
        .comes(70, failed("a"), isWritten: false), .due(120, [repeated("a", 1)]),
        .due(180, [ended("a", times: 4, seconds: 70)]), .due(240, []),
        .comes(300, failed("a"), isWritten: true),
      ],
      // What does not repeat has no end.
      [
        .comes(0, failed("a"), isWritten: true), .due(60, []),
        .comes(61, failed("a"), isWritten: true),
      ],
      // Another cause is news, until there are too many of them.
      [
        .comes(0, failed("a"), isWritten: true), .comes(1, failed("b"), isWritten: true),
        .comes(2, failed("c"), isWritten: true), .comes(3, failed("d"), isWritten: false),
        .comes(4, failed("e"), isWritten: false), .comes(5, failed("a"), isWritten: false),
        .comes(5, rejected("1.1.1.1"), isWritten: true),
        .due(65, [repeated("a", 1), others(2)]),
      ],
      // Who sends it does not make it another event.
      [
        .comes(0, rejected("1.1.1.1"), isWritten: true),
        .comes(0, rejected("2.2.2.2"), isWritten: false),
      ],
      // The lines of calls are all written.
      [.comes(0, call, isWritten: true), .comes(0, call, isWritten: true), .due(60, [])],
      // The end of the log leaves nothing untold.
      [
        .comes(0, failed("a"), isWritten: true), .rest([]),
        .comes(1, failed("a"), isWritten: true), .comes(1, failed("a"), isWritten: false),
        .rest([repeated("a", 1)]), .rest([]),
      ],
    ] as [[Step]])
  func aRepetitionIsCounted(steps: [Step]) {
    func second(_ time: UInt64) -> UInt64 { time * 1_000_000_000 }
    var records = RepeatedRecords(period: second(60), limit: 2)
    for step in steps {
      switch step {
      case .comes(let time, let record, let isWritten):
        #expect(records.isNews(record, at: second(time)) == isWritten)
      case .due(let time, let lines): #expect(records.due(at: second(time)) == lines)
      case .rest(let lines): #expect(records.rest() == lines)
      }
    }
  }

  @Test func whateverVariesTheMemoryHasABound() {
    var records = RepeatedRecords()
    for number in 0..<10_000 { _ = records.isNews(Self.failed("\(number)"), at: 0) }
    let lines = records.due(at: Limits.repetitionNanoseconds)
    #expect(lines == [Self.others(10_000 - Limits.runsOfAnEvent - 1)])
    #expect(records.due(at: 2 * Limits.repetitionNanoseconds).count == 1)
    #expect(records.next == nil)
  }

  /// The thread of the log tells the counts by itself: nobody has to log for it.
  @Test func theCountsComeByThemselves() {
    let stored = Mutex("")
    let isTold = DispatchSemaphore(value: 0)
    let writer = LogWriter(
      repeated: RepeatedRecords(period: 1_000_000),
      lines: { records in
        var lines: [UInt8] = []
        for record in records { LogFormat.text.append(record, microseconds: 0, to: &lines) }
        return lines
      },
      write: { lines in
        let text = stored.withLock { text in
          text += String(decoding: lines, as: UTF8.self)
          return text
        }
        if text.contains("ended=true") { isTold.signal() }
      })
    writer.append([Self.failed("a"), Self.failed("a"), Self.failed("a")])
    isTold.wait()
    let lines = stored.withLock { $0.split(separator: "\n").map { $0.dropFirst(25) } }
    #expect(
      lines == [
        "warning failed cause=a retry_after_ms=250", "warning failed cause=a repeated=2",
        "warning failed cause=a ended=true times=3 seconds=0",
      ])
    writer.finish(milliseconds: 60_000)
  }
}
