public import ASCII
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
    public let entries: [Spelling: Entry]?
    /// Errors and warnings in order of place.
    public let diagnostics: [Diagnostic]
  }

  /// Parses the bytes of `file`.
  public static func parse(_ file: SourceFile) -> Result {
    let reading = read(file, recordsPlaces: false)
    return Result(entries: reading.entries, diagnostics: reading.diagnostics)
  }

  /// The table of a file; `recordsPlaces` fills ``FileTable/places``, but of binary
  /// property lists.
  static func read(
    _ file: SourceFile, localization: String, table: String, recordsPlaces: Bool
  ) -> FileContents {
    let reading = read(file, recordsPlaces: recordsPlaces)
    let tables = reading.entries.map { entries in
      FileTable(
        localization: localization, name: table, origin: .strings, entries: entries,
        places: reading.places)
    }
    return FileContents(tables: tables.map { [$0] } ?? [], diagnostics: reading.diagnostics)
  }

  private struct Reading {
    var entries: [Spelling: Entry]?
    var places: [Spelling: Place] = [:]
    var diagnostics: [Diagnostic] = []
  }

  private static func read(_ file: SourceFile, recordsPlaces: Bool) -> Reading {
    var text: [UInt8] = []
    do throws(Finding) {
      if file.bytes.starts(with: BinaryPropertyList.magic) {
        let pairs = try BinaryPropertyList.read(file.bytes).pairs()
        return try read(pairs, path: file.path, text: [], recordsPlaces: false)
      }
      text = try SourceText.utf8(file.bytes)
      if XMLPropertyList.matches(text) {
        let pairs = try XMLPropertyList.read(text).pairs()
        return try read(pairs, path: file.path, text: text, recordsPlaces: recordsPlaces)
      }
      return read(text: text, path: file.path, recordsPlaces: recordsPlaces)
    } catch {
      return Reading(
        diagnostics: PositionCounter.diagnostics(
          [error], file: file.path, text: text.isEmpty ? file.bytes : text))
    }
  }

  /// The texts of a property list.
  private static func read(
    _ pairs: [PropertyListValue.Pair], path: String, text: [UInt8], recordsPlaces: Bool
  ) throws(Finding) -> Reading {
    var findings = FindingList()
    var entries: [Spelling: Entry] = [:]
    entries.reserveCapacity(min(pairs.count, Limits.entries))
    for pair in pairs {
      guard case .text(let value) = pair.value else {
        entries[pair.key] = nil
        findings.warn(
          .ignoredValue, at: pair.offset, "The value of this key is no text and is ignored.")
        continue
      }
      try TableLimits.check(
        key: pair.key, text: value, count: entries.count, offset: pair.offset)
      if entries.updateValue(.text(value), forKey: Spelling(pair.key)) != nil {
        findings.warn(
          .duplicateKey, at: pair.offset, "This key was already there; the last value counts.")
      }
    }
    let keys = recordsPlaces ? pairs.map { (key: $0.key, offset: $0.offset) } : []
    return Reading(
      entries: entries, places: PositionCounter.places(of: keys, in: text),
      diagnostics: findings.diagnostics(file: path, text: text))
  }

  private static func read(text: [UInt8], path: String, recordsPlaces: Bool) -> Reading {
    var parser = OldStyleParser(text, recordsPlaces: recordsPlaces)
    var reading = Reading()
    var fault: Finding?
    do throws(Finding) {
      try parser.parseFile()
      reading.entries = parser.entries
      reading.places = PositionCounter.places(of: parser.keyOffsets, in: text)
    } catch {
      fault = error
    }
    var findings = parser.scanner.findings
    if let fault { findings.append(fault) }
    reading.diagnostics = findings.diagnostics(file: path, text: text)
    return reading
  }
}
