internal import Glibc

/// How far long work is, as a line on standard error that is written again and again. It is there
/// only when a person reads standard error, and gone at the end.
final class Progress {
  /// What is counted.
  enum Unit {
    case bytes
    case lines
  }

  private let terminal: Terminal
  private let unit: Unit
  private let total: Int?
  private let start = Progress.seconds()
  private var shownAt = 0.0
  private var done = 0

  /// - Parameter total: How much there is, if that is known.
  init(_ terminal: Terminal, _ unit: Unit, total: Int?) {
    self.terminal = terminal
    self.unit = unit
    self.total = total
  }

  /// So much more is done.
  func advance(by count: Int) {
    done += count
    guard terminal.isErrorTerminal else { return }
    let now = Self.seconds()
    // Five times in a second is as much as anybody reads.
    guard now - shownAt >= 0.2 else { return }
    shownAt = now
    terminal.draw(Self.text(done: done, of: total, unit, after: now - start))
  }

  /// Takes the line away.
  func finish() {
    if terminal.isErrorTerminal, shownAt > 0 { terminal.draw("") }
  }

  /// `12.5 of 40.0 MB, 5.0 MB/s, 0:06 left`; `3000 lines, 1500/s`.
  static func text(done: Int, of total: Int?, _ unit: Unit, after seconds: Double) -> String {
    let rate = seconds > 0 ? Double(done) / seconds : 0
    let amount =
      switch (unit, total) {
      case (.bytes, let total?): "\(megabytes(done)) of \(megabytes(total)) MB"
      case (.bytes, nil): "\(megabytes(done)) MB"
      case (.lines, let total?): "\(done) of \(total)"
      case (.lines, nil): "\(done) lines"
      }
    let speed = unit == .bytes ? "\(megabytes(Int(rate))) MB/s" : "\(Int(rate))/s"
    guard let total, total > done, rate > 0 else { return "\(amount), \(speed)" }
    let left = Int((Double(total - done) / rate).rounded(.up))
    let rest = left % 60
    return "\(amount), \(speed), \(left / 60):\(rest < 10 ? "0" : "")\(rest) left"
  }

  private static func megabytes(_ bytes: Int) -> String {
    let tenths = (bytes + 50_000) / 100_000
    return "\(tenths / 10).\(tenths % 10)"
  }

  private static func seconds() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }
}
