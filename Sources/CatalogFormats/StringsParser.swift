public import Localization

/// Reads a `.strings` file: a NeXT property list dictionary, its outer braces optional.
///
///     file     = ws ( pairs | "{" pairs "}" ) ws
///     pairs    = { string ws ( "=" ws value ws | "" ) ";" ws }
///     value    = string | "{" pairs "}" | "(" [ value { "," value } ] ")" | "<" hex ">"
///     string   = '"' … '"' | "'" … "'" | 1*( A-Z a-z 0-9 _ $ / : . - )
///     ws       = { U+0009–U+000D | U+0020 | U+2028 | U+2029 | comment }
///     escapes  = \a \b \f \n \r \t \v \" \' \\ \U + ≤ 4 hex digits, \ + ≤ 3 octal digits
///                (NeXTSTEP Latin); any other character stands for itself
///
/// | case | result |
/// |---|---|
/// | `"k" = "v";` | k → v |
/// | `"k";` | k → k |
/// | duplicate key | the last wins, warning |
/// | nested value | ignored, warning |
/// | missing `;`, unterminated quote, `=` without value | error, no entries |
/// | text after the last `;` that starts no string | ignored, warning |
/// | zero-byte file | empty table, warning |
///
/// UTF-8 with or without BOM, UTF-16 and UTF-32 with BOM. XML and binary property lists are
/// recognized by their first bytes. Stricter than Apple's runtime in two points, where silence
/// would lose texts: a key whose quote is never closed, and U+0000 in a string, are errors.
/// Source: CFOldStylePList.c, CFPropertyList.c.
public enum StringsParser {
  /// The entries of a file and what there is to say about it.
  public struct Result: Sendable {
    /// The entries by key; nil when the file as a whole is rejected.
    public let entries: [String: Entry]?
    /// Errors and warnings in order of place.
    public let diagnostics: [Diagnostic]
  }

  /// Parses the bytes of `file`.
  public static func parse(_ file: SourceFile) -> Result {
    do throws(Finding) {
      if file.bytes.starts(with: BinaryStrings.magic) {
        return Result(entries: try BinaryStrings.read(file.bytes), diagnostics: [])
      }
      let text = try SourceText.utf8(file.bytes)
      if XMLStrings.matches(text) {
        return Result(entries: try XMLStrings.read(file.bytes), diagnostics: [])
      }
      return parse(text: text, path: file.path)
    } catch {
      let diagnostics = PositionCounter.diagnostics([error], file: file.path, text: file.bytes)
      return Result(entries: nil, diagnostics: diagnostics)
    }
  }

  private static func parse(text: [UInt8], path: String) -> Result {
    var parser = OldStyleParser(text)
    var entries: [String: Entry]?
    var findings: [Finding] = []
    do throws(Finding) {
      try parser.parseFile()
      entries = parser.entries
    } catch {
      findings.append(error)
    }
    findings += parser.scanner.findings
    var diagnostics = PositionCounter.diagnostics(findings, file: path, text: text)
    if parser.scanner.suppressed > 0 {
      diagnostics.append(
        Diagnostic(
          file: path, severity: .warning, code: .moreDiagnostics,
          message: "\(parser.scanner.suppressed) more warnings about this file."))
    }
    return Result(entries: entries, diagnostics: diagnostics)
  }
}
