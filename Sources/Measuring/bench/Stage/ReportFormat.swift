/// A line of ``Profiles``, taken apart: `%s` and `%.0s` stand for tokens and version, `%08d` for
/// the number of the user.
struct ReportFormat: Sendable {
  /// What stands before each value, and behind the last.
  private let texts: [String]
  /// Whether the value before the text of the same place is written.
  private let isWritten: [Bool]

  init(_ line: String) {
    var texts: [String] = []
    var isWritten: [Bool] = []
    for (index, part) in line.split(separator: "%", omittingEmptySubsequences: false).enumerated() {
      let mark = ["s", ".0s", "08d"].first { index > 0 && part.hasPrefix($0) } ?? ""
      texts.append(String(part.dropFirst(mark.count)))
      isWritten.append(!mark.isEmpty && mark != ".0s")
    }
    self.texts = texts
    self.isWritten = isWritten
  }

  /// Whether it has a token.
  var hasToken: Bool { isWritten[1] }

  /// The body of a report.
  func body(token: String, version: String, user: Int) -> String {
    let values = [token, String(token.reversed()), version, decimal(user % 100_000_000)]
    var body = texts[0]
    for (value, index) in zip(values, 1...) {
      if isWritten[index] { body += value }
      body += texts[index]
    }
    return body
  }

  private func decimal(_ number: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, 8 - digits.count)) + digits
  }
}

/// Keys and tokens as `bench/installation.lua` spells them.
enum Spelling {
  /// The key that begins with 32 scattered bits and ends with the number.
  static func id(_ scatter: UInt32, _ number: Int) -> String {
    "\(hex(Int(scatter), 8))-0000-4000-8000-\(hex(number, 12))"
  }

  static func token(_ scatter: UInt32, _ number: Int) -> String {
    hex(Int(scatter), 8) + hex(number, 56)
  }

  static func seededID(_ number: Int) -> String {
    id(UInt32(truncatingIfNeeded: number &* 2_654_435_761), number)
  }

  static func seededToken(_ number: Int) -> String {
    token(UInt32(truncatingIfNeeded: number &* 2_246_822_519), number)
  }

  private static func hex(_ number: Int, _ digits: Int) -> String {
    let text = String(number, radix: 16)
    return String(repeating: "0", count: max(0, digits - text.count)) + text
  }
}
