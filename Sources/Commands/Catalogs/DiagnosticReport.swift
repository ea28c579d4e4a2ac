internal import CatalogFormats
internal import CommandLineGrammar

/// What a check of string files has to say, and whether it is too bad.
struct DiagnosticReport {
  /// What makes a check fail, besides a file that cannot be read at all.
  enum Threshold: Equatable {
    /// Nothing.
    case files
    /// Errors: an entry that cannot be read.
    case errors
    /// Errors and warnings.
    case warnings
    /// Errors, and warnings with these codes.
    case codes(Set<String>)

    /// Reads the values of `--fail-on`.
    init(_ words: [String]) throws(Exit) {
      if words.isEmpty {
        self = .files
        return
      }
      if words.contains("warning") {
        self = .warnings
        return
      }
      let codes = words.filter { $0 != "error" }
      let known = Diagnostic.Code.allCases.map(\.rawValue)
      if let unknown = codes.first(where: { !known.contains($0) }) {
        throw Exit(
          ExitCode.usage,
          "--fail-on is error, warning or the code of a warning, not \"\(unknown)\"; the nearest "
            + "is \(nearestName(to: unknown, among: known)).")
      }
      self = codes.isEmpty ? .errors : .codes(Set(codes))
    }

    /// Whether a diagnostic is as bad as that.
    func includes(_ diagnostic: Diagnostic) -> Bool {
      switch self {
      case _ where diagnostic.severity == .error: true
      case .files, .errors: false
      case .warnings: true
      case .codes(let codes): codes.contains(diagnostic.code)
      }
    }
  }

  let result: ImportResult
  let threshold: Threshold

  var diagnostics: [Diagnostic] { result.diagnostics }
  /// Whether the check fails.
  var fails: Bool { result.rejectsFiles || threshold != .files && errors > 0 }

  var errors: Int { diagnostics.count { threshold.includes($0) } }
  var warnings: Int { diagnostics.count - errors }

  /// `2 errors, 1 warning`, and what the errors cost.
  var counts: String {
    let entries = result.entriesLeftOut
    let cost = entries == 0 ? "" : ", \(entries) \(entries == 1 ? "entry" : "entries") left out"
    return "\(Self.count(errors, "error")), \(Self.count(warnings, "warning"))\(cost)"
  }

  /// A number with its noun.
  static func count(_ number: Int, _ noun: String) -> String {
    "\(number) \(noun)\(number == 1 ? "" : "s")"
  }

  /// The diagnostics as a compiler writes them, which editors and CI services know:
  /// `App/fr.lproj/Localizable.strings:12:1: warning: … [argument_missing]`.
  func lines(_ terminal: Terminal, shown: (String) -> String) -> [String] {
    diagnostics.map { diagnostic in
      let isError = threshold.includes(diagnostic)
      let word = terminal.onError(isError ? "error:" : "warning:", isError ? .red : .yellow)
      let place = "\(shown(diagnostic.file)):\(diagnostic.line):\(diagnostic.column):"
      return "\(Printable.line(place)) \(word) \(Printable.line(diagnostic.message)) "
        + "[\(diagnostic.code)]"
    }
  }
}
