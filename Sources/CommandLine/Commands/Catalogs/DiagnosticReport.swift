internal import ASCII
internal import CatalogFormats
internal import CommandLineGrammar
internal import JSON

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

  var errors: Int { diagnostics.count { threshold.includes($0) } + added.errors }
  var warnings: Int { diagnostics.count { !threshold.includes($0) } + added.warnings }

  /// Diagnostics that the service alone has told.
  private var added = (errors: 0, warnings: 0)

  /// The report of a check.
  init(result: ImportResult, threshold: Threshold) {
    self.result = result
    self.threshold = threshold
  }

  /// Counts the diagnostics of an answer that are not known yet: it sees the other files of the
  /// build, and a service of another release may see what this one does not.
  /// - Parameter isOurs: Whether a file is one that they are told of.
  /// - Returns: A line for each.
  mutating func add(
    _ answered: [JSONValue], shown: (String) -> String, of isOurs: (String) -> Bool
  ) -> [String] {
    let seen = Set(
      diagnostics.map { Spelling("\($0.file):\($0.line):\($0.column):\($0.code)") })
    var lines: [String] = []
    for diagnostic in answered where isOurs(diagnostic["file"]?.text ?? "") {
      let place = ["file", "line", "column"].map { diagnostic[$0]?.cell ?? "" }
        .joined(separator: ":")
      let code = diagnostic["code"]?.text ?? ""
      guard !seen.contains("\(place):\(code)") else { continue }
      let severity = diagnostic["severity"]?.text ?? "warning"
      if severity.isSpelled(like: "error") { added.errors += 1 } else { added.warnings += 1 }
      lines.append(
        Printable.line(
          "\(shown(place)): \(severity): \(diagnostic["message"]?.text ?? "") [\(code)]"))
    }
    return lines
  }

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
