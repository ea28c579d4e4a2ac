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
/// | a value that is no text | error, the entry is left out |
/// | missing `;`, unterminated value, `=` without value | error, no entries |
/// | U+0000 in a string, a key or text too long | error, the entry is left out |
/// | a key whose quote is never closed | error, the rest of the file is left out |
/// | text after the last `;` that starts no string | ignored, warning |
/// | a comment that is not closed | the rest is ignored, warning |
/// | the same with pairs in it, such as a conflict of two versions | error, these are left out |
/// | zero-byte file | empty table, warning |
///
/// Files have the encodings of ``SourceText``. XML and binary property lists are recognized by
/// their
/// first bytes. Stricter than Apple's runtime in two points, where silence would lose texts: a key
/// whose quote is never closed, and U+0000 in a string, are errors.
/// Source: CFOldStylePList.c, CFPropertyList.c.
public enum StringsParser {
  /// The entries of a file and what there is to say about it.
  public struct Result: Sendable {
    /// The entries by key; nil when the file as a whole is rejected.
    public let entries: [Spelling: Entry]?
    /// Errors and warnings in order of place.
    public let diagnostics: [Diagnostic]
  }

  public static func parse(_ file: SourceFile) -> Result {
    let contents = read(file, localization: "", table: "", recordsPlaces: false)
    return Result(entries: contents.tables.first?.entries, diagnostics: contents.diagnostics)
  }

  /// The table of a file; `recordsPlaces` fills ``FileTable/places``, except for binary property
  /// lists.
  static func read(
    _ file: SourceFile, localization: String, table: String, recordsPlaces: Bool
  ) -> FileContents {
    var contents = FileContents()
    var findings = FindingList()
    var result = FileTable(localization: localization, name: table, origin: .strings)
    var text: [UInt8] = []
    do throws(Finding) {
      if file.bytes.starts(with: BinaryPropertyList.magic) {
        try add(BinaryPropertyList.read(file.bytes).pairs(), to: &result, &findings)
      } else {
        let source = try SourceText(file.bytes)
        text = source.utf8
        if let warning = source.warning { findings.append(warning) }
        if XMLPropertyList.matches(text) {
          let pairs = try XMLPropertyList.read(text).pairs()
          try add(pairs, to: &result, &findings)
          let keys = recordsPlaces ? pairs.map { (key: $0.key, offset: $0.offset) } : []
          result.places = PositionCounter.places(of: keys, in: text)
        } else {
          var parser = OldStyleParser(text, findings: findings, recordsPlaces: recordsPlaces)
          defer { findings = parser.scanner.findings }
          try parser.parseFile()
          result.entries = parser.entries
          result.leftOut = parser.leftOut
          result.places = PositionCounter.places(of: parser.keyOffsets, in: text)
          contents.textsLeftOut = parser.textsLeftOut
        }
        if source.warning != nil { result.uncertain = Set(result.entries.keys) }
      }
      contents.tables = [result]
    } catch {
      findings.append(error)
    }
    contents.diagnostics = findings.diagnostics(
      file: file.path, text: text.isEmpty ? file.bytes : text)
    return contents
  }

  /// The texts of a property list.
  private static func add(
    _ pairs: [PropertyListValue.Pair], to table: inout FileTable, _ findings: inout FindingList
  ) throws(Finding) {
    table.entries.reserveCapacity(min(pairs.count, Limits.entries))
    for pair in pairs {
      guard case .text(let value) = pair.value else {
        table.entries[pair.key] = nil
        findings.fail(
          .ignoredValue, at: pair.offset, "The value of this key is no text, and is left out.")
        table.leftOut.insert(pair.key)
        continue
      }
      try TableLimits.check(count: table.entries.count, offset: pair.offset)
      do throws(Finding) {
        try TableLimits.check(key: pair.key, text: value, offset: pair.offset)
      } catch {
        findings.append(error)
        table.entries[pair.key] = nil
        table.leftOut.insert(pair.key)
        continue
      }
      if table.entries.updateValue(.text(value), forKey: Spelling(pair.key)) != nil {
        findings.warn(
          .duplicateKey, at: pair.offset, "This key was already there; the last value counts.")
      }
    }
  }
}
