import Synchronization
import Telemetry
import TestSupport
import Testing

/// 2026-05-02T19:32:41.123456Z
private let time: Int64 = 1_777_750_361_123_456

private func line(_ format: LogFormat, _ record: LogRecord, at microseconds: Int64 = time) -> String
{
  var bytes: [UInt8] = []
  format.append(record, microseconds: microseconds, to: &bytes)
  return String(decoding: bytes, as: UTF8.self)
}

@Suite struct LogTests {
  @Test func linesOfBothFormats() throws {
    let records = [
      LogRecord(.info, "listening", ["address": "127.0.0.1:8080", "loops": 2]),
      LogRecord(.debug, "idle"),
      LogRecord(.warning, "slow", ["duration_ms": 12, "retried": true]),
      LogRecord(.error, "refused", ["reason": "no \"space\" left\nreally\\", "path": "a=b"]),
      LogRecord(.info, "odd", ["empty": "", "escape": "\u{1B}[31m", "c1": "\u{9B}31m"]),
      LogRecord(.info, "words", ["text": "größer", "with_space": "größer als", "emoji": "👩‍🚀"]),
    ]
    let lines = LogFormat.allCases.map { format in
      records.map { line(format, $0) }.joined()
    }
    try Golden.check(lines.joined(separator: "\n"), named: "Telemetry/log-lines.txt")
  }

  @Test(arguments: LogFormat.allCases)
  func ofALongTextTheBeginningIsWritten(format: LogFormat) {
    for text in [String(repeating: "M", count: 8_000), String(repeating: "é \"", count: 8_000)] {
      let written = line(format, LogRecord(.info, "x", ["method": .string(text)]))
      #expect(written.utf8.count < 2_048)
      #expect(written.contains("…"))
    }
  }

  @Test(
    arguments: [
      (0, "1970-01-01T00:00:00.000Z"),
      (-1, "1969-12-31T23:59:59.999Z"),
      (951_782_400_000_999, "2000-02-29T00:00:00.000Z"),
      (253_402_300_799_999_999, "9999-12-31T23:59:59.999Z"),
    ] as [(Int64, String)])
  func timesAreUTCWithMilliseconds(microseconds: Int64, text: String) {
    #expect(line(.text, LogRecord(.info, "x"), at: microseconds) == "\(text) info x\n")
  }

  @Test func recordsBelowTheMinimumAreDroppedAndBatchesAreOneWrite() {
    let sink = RecordingSink()
    let logger = Logger(
      format: .text, minimumLevel: .warning, now: { 0 }, sink: { sink.append($0) })
    logger.log(LogRecord(.info, "quiet"))
    logger.log([LogRecord(.error, "one"), LogRecord(.debug, "no"), LogRecord(.warning, "two")])
    #expect(
      sink.writes == ["1970-01-01T00:00:00.000Z error one\n1970-01-01T00:00:00.000Z warning two\n"])
  }

  @Test func linesOfManyThreadsStayWhole() async {
    let sink = RecordingSink()
    let logger = Logger(format: .text, now: { 0 }, sink: { sink.append($0) })
    await withTaskGroup { group in
      for task in 0..<8 {
        group.addTask {
          for number in 0..<500 {
            logger.log(LogRecord(.info, "n", ["task": .integer(task), "number": .integer(number)]))
          }
        }
      }
    }
    #expect(sink.writes.count == 4_000)
    #expect(Set(sink.writes).count == 4_000)
  }

  @Test(arguments: LogLevel.allCases) func levelsHaveNames(level: LogLevel) {
    #expect(LogLevel(name: level.name) == level)
    #expect(LogLevel(name: level.name.uppercased()) == nil)
  }
}

private final class RecordingSink: Sendable {
  private let stored = Mutex<[String]>([])
  var writes: [String] { stored.withLock { $0 } }
  func append(_ bytes: [UInt8]) {
    stored.withLock { $0.append(String(decoding: bytes, as: UTF8.self)) }
  }
}
