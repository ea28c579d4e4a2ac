internal import JSON
internal import Records

/// How long the tokens of a file are: one that is shorter or longer than nearly all others was cut
/// off or damaged on its way, and APNs refuses it.
///
///     32 bytes 40 times, 20 bytes once      the one of 20 is told of
///     20 bytes 40 times                     all are: a column of 40 characters holds no more
///     32 bytes 40 times, 80 bytes 30 times  nothing is: there are two kinds
struct TokenLengths {
  private struct Length {
    var count = 0
    /// Where the first of them are.
    var lines: [Int] = []
  }

  /// By bytes.
  private var lengths: [Int: Length] = [:]

  /// Four of five are nearly all.
  private static let share = 0.8
  /// Bytes of all tokens for notifications that APNs has given so far.
  private static let usualBytes = 32

  /// Notes a token.
  /// - Parameters:
  ///   - bytes: Its length.
  ///   - line: The line of its record.
  mutating func note(_ bytes: Int, line: Int) {
    var length = lengths[bytes] ?? Length()
    length.count += 1
    if length.lines.count < RecordLimits.reasonLines { length.lines.append(line) }
    lengths[bytes] = length
  }

  /// What there is to say of them, as notices.
  var report: ImportReport {
    var report = ImportReport()
    let total = lengths.values.reduce(0) { $0 + $1.count }
    guard
      let (most, usual) = lengths.max(by: { ($0.value.count, $0.key) < ($1.value.count, $1.key) }),
      Double(usual.count) >= Double(total) * Self.share
    else { return report }
    let odd = lengths.filter { $0.key != most || most < Self.usualBytes }
    guard let example = odd.min(by: { $0.key < $1.key })?.key else { return report }
    let detail =
      example == most
      ? "Nearly all tokens have \(most) bytes; APNs gives \(Self.usualBytes). Were they cut off?"
      : "The token has \(example) bytes; nearly all others of the file have \(most). "
        + "Was it cut off?"
    report.reasons = [
      ImportReport.Reason(
        cost: .notice, code: ForeignFault.tokenLength.rawValue,
        count: odd.values.reduce(0) { $0 + $1.count },
        lines: Array(odd.values.flatMap(\.lines).sorted().prefix(RecordLimits.reasonLines)),
        detail: detail)
    ]
    return report
  }
}
