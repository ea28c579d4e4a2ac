internal import ASCII
internal import Localization

/// Reads an XLIFF 1.2 file as Xcode exports it.
///
/// Each `<file>` yields a table of its `<source>` texts and one of its `<target>` texts, named
/// after `original` without folders and extension, in the languages as the file spells them.
///
/// | case | result |
/// |---|---|
/// | no target, or its state is `new` or `needs-…` | not imported, counted |
/// | the state `needs-review-l10n` | imported: a build has it |
/// | empty target | clears the text (entry `""`) if it has a state, else it is none |
/// | target without state | imported, counted as `translated`; no target: as `missing` |
/// | a state that XLIFF does not know | imported, warning `unknown_state` |
/// | elements in a text | their characters are kept, warning `inline_markup` |
/// | a unit occurs again | the last counts, warning `duplicate_key` |
/// | a unit without source, or whose source is only its id | the target alone is imported: Xcode 27
///   writes such units where only the translation varies |
/// | a unit without id | left out, error `malformed_xliff` |
/// | a `<file>` without original or source language, or whose original is no file of texts | left
///   out, error `malformed_xliff` |
/// | targets without target language | not imported, error `malformed_xliff` |
/// | a language that is no tag | its texts are left out, error `no_localization` |
/// | an id with an unknown category, device or width | left out, warning `unknown_…` |
/// | an id with variations nested otherwise | left out, error `unsupported_variation` |
/// | a key that itself ends like a variation | left out, error `ambiguous_key` |
/// | a translated part of a key, its format not | the format is that of the source |
/// | a source text that lacks what only other languages need | left out |
/// | too few translated parts of a key | the key is left out, warning `incomplete_translation` |
///
/// All other findings of ``CatalogVariations`` are told as well. Source: XLIFF 1.2, docs/apple.md
/// 5.4.
struct XLIFFReader {
  private var reader: XMLReader
  private var findings = FindingList()
  private var tables: [FileTable] = []
  private var counter: PositionCounter?
  private var fileCount = 0
  private var textsLeftOut = 0

  /// The tables of a file, source and target; `recordsPlaces` fills ``FileTable/places``.
  static func read(
    _ file: SourceFile, recordsPlaces: Bool
  ) -> FileContents {
    var text = file.bytes
    do throws(Finding) {
      let source = try SourceText(file.bytes)
      text = source.utf8
      var reader = XLIFFReader(
        reader: try XMLReader(text), counter: recordsPlaces ? PositionCounter(text) : nil)
      if let warning = source.warning { reader.findings.append(warning) }
      do throws(Finding) {
        try reader.readDocument()
      } catch {
        reader.findings.append(error)
        reader.tables = []
      }
      return FileContents(
        tables: reader.tables,
        diagnostics: reader.findings.diagnostics(file: file.path, text: text),
        textsLeftOut: reader.textsLeftOut)
    } catch {
      return FileContents(
        diagnostics: PositionCounter.diagnostics([error], file: file.path, text: text))
    }
  }

  private mutating func readDocument() throws(Finding) {
    guard case .start(let root) = try reader.next(), root.name == "xliff" else {
      throw malformed("The XML is no XLIFF.")
    }
    guard root["version"]?.hasBytes(atStart: "1.") ?? true else {
      throw Finding(
        offset: root.offset, code: .unsupportedFormat, message: "Only XLIFF 1.2 is read.")
    }
    while let event = try reader.next() {
      guard case .start(let tag) = event else { continue }
      if tag.name == "file" {
        try readFile(tag)
      } else {
        try reader.skip()
      }
    }
  }

  private mutating func readFile(_ tag: XMLReader.Tag) throws(Finding) {
    fileCount += 1
    guard fileCount <= Limits.exchangeFiles else {
      throw Finding(
        offset: tag.offset, code: .limitExceeded,
        message: "There are more than \(Limits.exchangeFiles) files in it.")
    }
    let original = tag["original"] ?? ""
    var draft = XLIFFFile(tag)
    var depth = 0
    while let event = try reader.next() {
      switch event {
      case .text: continue
      case .end:
        guard depth > 0 else {
          tables += draft.tables(findings: &findings, counter: &counter)
          textsLeftOut += draft.textsLeftOut
          return
        }
        depth -= 1
      case .start(let tag):
        switch tag.name {
        case "body", "group": depth += 1
        case "trans-unit":
          if let unit = try readUnit(tag, of: &draft, original: original) {
            try draft.add(unit, findings: &findings)
          }
        default: try reader.skip()
        }
      }
    }
  }

  private mutating func readUnit(
    _ tag: XMLReader.Tag, of draft: inout XLIFFFile, original: String
  ) throws(Finding) -> XLIFFUnit? {
    var source: String?
    var target: String?
    var state: String?
    while let event = try reader.next() {
      switch event {
      case .text: continue
      case .start(let inner) where inner.name == "source": source = try readText()
      case .start(let inner) where inner.name == "target":
        state = inner["state"]?.shortened(to: Limits.wordBytes)
        target = try readText()
      case .start: try reader.skip()
      case .end:
        guard let id = tag["id"] else {
          findings.append(malformed("The unit has no id: it is left out.", tag.offset))
          draft.leaveOut(key: nil)
          return nil
        }
        if source == nil, target == nil { return nil }
        do throws(Finding) {
          guard id.utf8.count <= Limits.identifierBytes else {
            throw Finding(
              offset: tag.offset, code: .limitExceeded,
              message: "An id is longer than \(Limits.identifierBytes) bytes.")
          }
          let identifier = try XLIFFIdentifier(id, original: original)
          let isNamed = identifier.part != .text([]) && source?.isSpelled(like: id) == true
          return XLIFFUnit(
            identifier: identifier, source: isNamed ? nil : source, target: target, state: state,
            offset: tag.offset)
        } catch {
          var finding = error
          finding.offset = tag.offset
          findings.append(finding)
          // A misspelled variation was never shown.
          if finding.severity == .error {
            draft.leaveOut(key: XLIFFIdentifier.key(ofUnreadable: id))
          }
          return nil
        }
      }
    }
    return nil
  }

  /// All characters of the element opened last, including the characters of elements in it.
  private mutating func readText() throws(Finding) -> String {
    var text = ""
    var depth = 0
    while let event = try reader.next() {
      switch event {
      case .text: text += reader.text
      case .start(let tag):
        depth += 1
        findings.warn(
          .inlineMarkup, at: tag.offset,
          "Of '<\(tag.name.text.quoted)>' only the characters are kept.")
      case .end:
        guard depth > 0 else { return text }
        depth -= 1
      }
    }
    return text
  }

  private func malformed(_ message: String, _ offset: Int? = nil) -> Finding {
    Finding(offset: offset ?? reader.offset, code: .malformedXLIFF, message: message)
  }
}
