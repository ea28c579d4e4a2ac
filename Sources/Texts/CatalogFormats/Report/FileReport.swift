/// The findings of a lint in one file, up to a limit. Findings of a common cause are told once.
struct FileReport {
  private struct Cause: Hashable {
    let code: Diagnostic.Code
    let language: String
    let text: String
  }
  private struct Line {
    let place: Place
    let code: Diagnostic.Code
    let message: String
    /// Further entries of the same cause.
    var more = 0
  }

  private let file: String
  private let limit: Int
  private var lines: [Line] = []
  private var causes: [Cause: Int] = [:]
  private var suppressed = 0

  init(file: String, limit: Int) {
    self.file = file
    self.limit = limit
  }

  /// Adds a finding on an entry; entries come in order of place.
  mutating func add(
    _ finding: EntryLint.EntryFinding, key: String, language: String, at place: Place
  ) {
    let cause = finding.commonCause.map { Cause(code: finding.code, language: language, text: $0) }
    if let cause, let line = causes[cause] {
      lines[line].more += 1
      return
    }
    guard lines.count < limit else {
      suppressed += 1
      return
    }
    if let cause { causes[cause] = lines.count }
    lines.append(
      Line(
        place: place, code: finding.code,
        message: "'\(key.quoted)' in \(language) \(finding.message)"))
  }

  /// The warnings, in order of place.
  var diagnostics: [Diagnostic] {
    var diagnostics = lines.map { line in
      let more = line.more == 0 ? "" : " Such texts in this file besides: \(line.more)."
      return Diagnostic(
        file: file, line: line.place.line, column: line.place.column, severity: .warning,
        code: line.code, message: line.message + more)
    }
    if suppressed > 0 {
      diagnostics.append(
        Diagnostic(
          file: file, severity: .warning, code: .moreDiagnostics,
          message: "\(suppressed) more warnings about the texts of this file."))
    }
    return diagnostics
  }
}
