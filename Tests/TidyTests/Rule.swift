import Testing

/// One house rule: where a file breaks it, and what to do then.
struct Rule: Sendable, CustomTestStringConvertible {
  /// A place that breaks a rule.
  struct Finding: Equatable {
    /// Counted from 1.
    let line: Int
    /// What was found there.
    let what: String
  }

  /// What the rule is about, for the list of tests.
  let name: String
  /// What to do instead.
  let fix: String
  let find: @Sendable (SourceFile) -> [Finding]

  var testDescription: String { name }

  /// One line per place: where, what and the way out.
  func complaints(about file: SourceFile) -> [String] {
    find(file).map { "\(file.path):\($0.line): \($0.what). \(fix)" }
  }

  /// A rule against words in code (not in comments and strings).
  static func banning(
    _ tokens: [String], name: String, fix: String,
    where applies: @escaping @Sendable (SourceFile) -> Bool
  ) -> Rule {
    Rule(name: name, fix: fix) { file in
      guard file.isSwift, applies(file) else { return [] }
      return file.code.enumerated().flatMap { index, line in
        tokens.filter { containsToken($0, in: line) }
          .map { Finding(line: index + 1, what: "`\($0)`") }
      }
    }
  }

  /// Whether the token stands in the line and is not the end of a longer word.
  private static func containsToken(_ token: String, in line: Substring) -> Bool {
    line.ranges(of: token).contains { range in
      let before = line[..<range.lowerBound].last
      let isWholeWord = token.first.map { !$0.isLetter } ?? false
      return isWholeWord || !(before.map { $0.isLetter || $0.isNumber || $0 == "_" } ?? false)
    }
  }
}
