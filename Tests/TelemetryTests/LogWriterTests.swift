import Dispatch
import Synchronization
import Testing

@testable import Telemetry

/// A log whose reader stalls: nobody waits for it, and what is dropped is told.
@Suite struct LogWriterTests {
  enum Step: Sendable {
    case add(String, dropped: Int)
    case take(String)
  }

  @Test(
    arguments: [
      [.add("a\n", dropped: 0), .add("b\n", dropped: 0), .take("a\nb\n"), .take("")],
      [.add("aa\n", dropped: 0), .add("bb\n", dropped: 1), .take("aa\n1 dropped\n")],
      // What would fit behind a gap is dropped, too: the gap stands where it is told.
      [
        .add("aa\n", dropped: 0), .add("bb\n", dropped: 1), .add("\n", dropped: 1),
        .take("aa\n2 dropped\n"), .add("cc\n", dropped: 0), .take("cc\n"),
      ],
      // Lines that belong together are taken or dropped together.
      [.add("a\nb\nc\n", dropped: 3), .take("3 dropped\n"), .add("a\nb\n", dropped: 0)],
    ] as [[Step]])
  func aBufferHasABoundAndTellsOfItsGaps(steps: [Step]) {
    var buffer = LogBuffer(limit: 4)
    for step in steps {
      switch step {
      case .add(let lines, let dropped): #expect(buffer.add(Array(lines.utf8)) == dropped)
      case .take(let expected):
        #expect(buffer.isEmpty == expected.isEmpty)
        let taken = buffer.takeAll { Array("\($0) dropped\n".utf8) }
        #expect(String(decoding: taken, as: UTF8.self) == expected)
      }
    }
  }

  /// A sink that stalls from its first call until the test opens it.
  private final class StallingSink: Sendable {
    private let gate = DispatchSemaphore(value: 0)
    private let called = DispatchSemaphore(value: 0)
    private let stored = Mutex<[UInt8]>([])
    var text: String { stored.withLock { String(decoding: $0, as: UTF8.self) } }

    func write(_ lines: [UInt8]) {
      called.signal()
      gate.wait()
      gate.signal()
      stored.withLock { $0 += lines }
    }
    func awaitCall() { called.wait() }
    func open() { gate.signal() }
  }

  @Test func whoLogsDoesNotWaitForAReaderThatStalls() {
    let sink = StallingSink()
    let logger = Logger.unwaiting(format: .text, now: { 0 }, sink: { sink.write($0) })
    logger.log(LogRecord(.info, "first"))
    sink.awaitCall()
    // Some five megabytes: more than may wait, and no call comes back late.
    for number in 0..<100_000 {
      logger.log(LogRecord(.info, "flood", ["number": .integer(number)], repetition: .written))
    }
    #expect(logger.dropped > 0)
    #expect(sink.text == "")
    sink.open()
    logger.finish(milliseconds: 60_000)
    let lines = sink.text.split(separator: "\n")
    let told = lines.filter { $0.contains("log_lines_dropped") }
    #expect(told.count == 1)
    #expect(told.first?.hasSuffix(" warning log_lines_dropped lines=\(logger.dropped)") == true)
    #expect(lines.count - told.count + logger.dropped == 100_001)
    #expect(lines.dropFirst().first?.hasSuffix("number=0") == true)
  }

  @Test func theEndWaitsForTheLastLines() {
    let stored = Mutex<[UInt8]>([])
    let logger = Logger.unwaiting(format: .text, now: { 0 }) { lines in
      stored.withLock { $0 += lines }
    }
    for _ in 0..<1000 { logger.log(LogRecord(.info, "line", repetition: .written)) }
    logger.finish(milliseconds: 60_000)
    #expect(stored.withLock { $0.count { $0 == UInt8(ascii: "\n") } } == 1000)
    #expect(logger.dropped == 0)
    // Too late, and nobody waits for it.
    logger.log(LogRecord(.info, "late"))
    logger.finish()
  }

  @Test func theEndDoesNotWaitForAReaderThatStalls() {
    let sink = StallingSink()
    let writer = LogWriter(lines: { _ in Array("line\n".utf8) }, write: { sink.write($0) })
    writer.append([LogRecord(.info, "line")])
    sink.awaitCall()
    writer.finish(milliseconds: 1)
    #expect(sink.text == "")
    sink.open()
    writer.finish(milliseconds: 60_000)
    #expect(sink.text == "line\n")
  }
}
