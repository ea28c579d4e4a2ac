internal import ASCII
internal import Localization

/// Reads a `.stringsdict` file, an XML or binary property list.
///
/// | value of a key | entry |
/// |---|---|
/// | text | `.text` |
/// | `NSStringDeviceSpecificRuleType` | `.devices` |
/// | `NSStringVariableWidthRuleType` | `.widths` |
/// | `NSStringLocalizedFormatKey` and variables | `.plural`; `.text` when it has no variables |
/// | several of these | the first of them, warning `conflicting_variations` |
/// | a dictionary without any | none, error `missing_format` |
/// | anything else | none, error `ignored_value` |
///
/// An entry that the runtime could not show is left out with an error, and the rest is read; so is
/// one that exceeds a bound. The cases of the parts are in the table of
/// ``StringsDictionaryEntry``. Source: docs/apple.md 5.2.
enum StringsDictionaryReader {
  /// The table of a file; `recordsPlaces` fills ``FileTable/places``.
  static func read(
    _ file: SourceFile, localization: String, table: String, recordsPlaces: Bool
  ) -> FileContents {
    var findings = FindingList()
    var result = FileTable(localization: localization, name: table, origin: .stringsDictionary)
    var text: [UInt8] = []
    var isRead = false
    do throws(Finding) {
      let isBinary = file.bytes.starts(with: BinaryPropertyList.magic)
      let source = isBinary ? nil : try SourceText(file.bytes)
      text = source?.utf8 ?? []
      if let warning = source?.warning { findings.append(warning) }
      if !isBinary, text.isEmpty {
        findings.warn(.emptyFile, at: 0, "The file is empty.")
      } else {
        let value = try isBinary ? BinaryPropertyList.read(file.bytes) : XMLPropertyList.read(text)
        let pairs = try value.pairs()
        try add(pairs, to: &result, findings: &findings)
        if recordsPlaces, !isBinary {
          let keys = pairs.map { (key: $0.key, offset: $0.offset) }
          result.places = PositionCounter.places(of: keys, in: text)
        }
      }
      if source?.warning != nil { result.uncertain = Set(result.entries.keys) }
      isRead = true
    } catch {
      findings.append(error)
    }
    // Bytes without a valid encoding have places all the same.
    let diagnostics = findings.diagnostics(
      file: file.path, text: text.isEmpty ? file.bytes : text)
    return FileContents(tables: isRead ? [result] : [], diagnostics: diagnostics)
  }

  private static func add(
    _ pairs: [PropertyListValue.Pair], to table: inout FileTable, findings: inout FindingList
  ) throws(Finding) {
    table.entries.reserveCapacity(min(pairs.count, Limits.entries))
    var seen: Set<Spelling> = []
    for pair in pairs {
      try TableLimits.check(count: table.entries.count, offset: pair.offset)
      if !seen.insert(pair.key) {
        findings.warn(
          .duplicateKey, at: pair.offset, "This key was already there; the last value counts.")
      }
      let errors = findings.errors
      table.entries[pair.key] = entry(of: pair, &findings)
      if findings.errors > errors { table.leftOut.insert(pair.key) }
    }
  }

  private static func entry(
    of pair: PropertyListValue.Pair, _ findings: inout FindingList
  ) -> Entry? {
    do throws(Finding) {
      try TableLimits.check(key: pair.key, text: "", offset: pair.offset)
      return try StringsDictionaryEntry.read(pair, findings: &findings)
    } catch {
      findings.append(error)
      return nil
    }
  }
}
