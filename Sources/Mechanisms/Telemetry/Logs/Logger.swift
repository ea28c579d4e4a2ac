internal import Glibc
internal import Synchronization

/// Writes records as whole lines, from any thread.
///
/// A line, or a batch of lines, is one call of the sink; calls never overlap.
public struct Logger: Sendable {
  /// Takes whole lines.
  public typealias Sink = @Sendable ([UInt8]) -> Void
  /// Microseconds since 1970-01-01T00:00:00Z.
  public typealias Clock = @Sendable () -> Int64

  /// Records below it are dropped.
  public let minimumLevel: LogLevel
  private let format: LogFormat
  private let now: Clock
  private let output: Output

  private enum Output: Sendable {
    /// Each call of the logger waits for it.
    case sink(Sink, Turn)
    /// No call waits.
    case writer(LogWriter)
  }

  private final class Turn: Sendable {
    let mutex = Mutex(())
  }

  /// A logger whose callers wait for its sink.
  ///
  /// - Parameters:
  ///   - sink: by default standard error; standard output stays free for what the service prints.
  public init(
    format: LogFormat, minimumLevel: LogLevel = .info, now: @escaping Clock,
    sink: @escaping Sink = Logger.standardError
  ) {
    self.init(format, minimumLevel, now, .sink(sink, Turn()))
  }

  /// A logger whose callers never wait: a thread of its own writes to the sink, and lines that find
  /// no room because the sink has stalled are dropped. Once it takes lines again, the line
  /// `log_lines_dropped` tells how many. A record that repeats is written once, then counted.
  public static func unwaiting(
    format: LogFormat, minimumLevel: LogLevel = .info, now: @escaping Clock,
    sink: @escaping Sink = Logger.standardError
  ) -> Logger {
    let writer = LogWriter(lines: { Self.lines($0, format, now()) }, write: sink)
    return Logger(format, minimumLevel, now, .writer(writer))
  }

  private init(
    _ format: LogFormat, _ minimumLevel: LogLevel, _ now: @escaping Clock, _ output: Output
  ) {
    self.format = format
    self.minimumLevel = minimumLevel
    self.now = now
    self.output = output
  }

  /// Lines that were dropped because the sink had stalled.
  public var dropped: Int {
    if case .writer(let writer) = output { writer.dropped } else { 0 }
  }

  /// Waits a second at most until all lines are written; the last call of a logger.
  public func finish() { finish(milliseconds: Limits.lastLinesMilliseconds) }

  func finish(milliseconds: Int) {
    if case .writer(let writer) = output { writer.finish(milliseconds: milliseconds) }
  }

  /// Writes one record.
  public func log(_ record: LogRecord) {
    log([record])
  }

  /// Writes one record, as ``LogRecord`` takes it.
  public func log(
    _ level: LogLevel, _ event: StaticString, _ fields: KeyValuePairs<String, LogValue> = [:]
  ) {
    log(LogRecord(level, event, fields))
  }

  /// Writes records that belong together in one go; they carry the same time.
  public func log(_ records: [LogRecord]) {
    let records = records.filter { $0.level >= minimumLevel }
    guard !records.isEmpty else { return }
    switch output {
    case .sink(let sink, let turn):
      let lines = Self.lines(records, format, now())
      turn.mutex.withLock { _ in sink(lines) }
    case .writer(let writer): writer.append(records)
    }
  }

  private static func lines(
    _ records: [LogRecord], _ format: LogFormat, _ microseconds: Int64
  ) -> [UInt8] {
    var lines: [UInt8] = []
    lines.reserveCapacity(records.count * 256)
    for record in records { format.append(record, microseconds: microseconds, to: &lines) }
    return lines
  }

  /// Standard error. A call waits for as long as it takes; lines that it refuses (closed) are lost.
  public static let standardError: Sink = { lines in
    lines.withUnsafeBytes { buffer in
      var rest = buffer[...]
      while !rest.isEmpty {
        let written = write(
          STDERR_FILENO, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
        if written >= 0 {
          rest = rest.dropFirst(written)
        } else if errno == EAGAIN {
          // Another process made the pipe that we share with it a non-blocking one.
          var room = pollfd(fd: STDERR_FILENO, events: Int16(POLLOUT), revents: 0)
          poll(&room, 1, -1)
        } else if errno != EINTR {
          return
        }
      }
    }
  }
}
