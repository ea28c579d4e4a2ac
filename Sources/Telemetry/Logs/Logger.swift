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
  private let sink: Sink
  private let turn = Turn()

  private final class Turn: Sendable {
    let mutex = Mutex(())
  }

  /// A logger; standard output stays free for what the service prints itself.
  ///
  /// - Parameters:
  ///   - sink: by default one write(2) to standard error.
  public init(
    format: LogFormat, minimumLevel: LogLevel = .info, now: @escaping Clock,
    sink: @escaping Sink = Logger.standardError
  ) {
    self.format = format
    self.minimumLevel = minimumLevel
    self.now = now
    self.sink = sink
  }

  /// Writes one record.
  public func log(_ record: LogRecord) {
    log([record])
  }

  /// Writes records that belong together in one go; they carry the same time.
  public func log(_ records: [LogRecord]) {
    var lines: [UInt8] = []
    lines.reserveCapacity(records.count * 256)
    let microseconds = now()
    for record in records where record.level >= minimumLevel {
      format.append(record, microseconds: microseconds, to: &lines)
    }
    guard !lines.isEmpty else { return }
    turn.mutex.withLock { _ in sink(lines) }
  }

  /// Standard error. What it does not take (closed, full and not waiting) is lost: a service
  /// should not stand still for its log.
  public static let standardError: Sink = { lines in
    lines.withUnsafeBytes { buffer in
      var rest = buffer[...]
      while !rest.isEmpty {
        let written = write(
          STDERR_FILENO, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
        if written < 0 && errno == EINTR { continue }
        guard written > 0 else { return }
        rest = rest.dropFirst(written)
      }
    }
  }
}
