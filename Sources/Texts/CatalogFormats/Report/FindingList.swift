/// The findings of one file, bounded: warnings never push errors out.
struct FindingList {
  private var findings: [Finding] = []
  private var counts: [Diagnostic.Severity: Int] = [:]
  private var suppressed = 0
  /// How many errors there are, including those that are not listed.
  private(set) var errors = 0

  mutating func append(_ finding: Finding) {
    if finding.severity == .error { errors += 1 }
    let count = counts[finding.severity, default: 0]
    guard count < Limits.fileDiagnostics else {
      suppressed += 1
      return
    }
    counts[finding.severity] = count + 1
    findings.append(finding)
  }

  mutating func warn(_ code: Diagnostic.Code, at offset: Int, _ message: String) {
    append(Finding(offset: offset, severity: .warning, code: code, message: message))
  }

  mutating func fail(_ code: Diagnostic.Code, at offset: Int, _ message: String) {
    append(Finding(offset: offset, code: code, message: message))
  }

  /// The diagnostics in order of place. The offsets count bytes of `text`.
  func diagnostics(file: String, text: [UInt8]) -> [Diagnostic] {
    var diagnostics = PositionCounter.diagnostics(findings, file: file, text: text)
    if suppressed > 0 {
      diagnostics.append(
        Diagnostic(
          file: file, severity: .warning, code: .moreDiagnostics,
          message: "\(suppressed) more diagnostics about this file."))
    }
    return diagnostics
  }
}
