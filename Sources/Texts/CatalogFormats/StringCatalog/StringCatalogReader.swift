internal import JSON
internal import Localization

/// Reads a `.xcstrings` file: a string catalog, all languages of one table in JSON.
///
///     catalog      = { "sourceLanguage", "version", "strings": { KEY: entry, … } }
///     entry        = { "extractionState"?, "localizations"?: { LANGUAGE: localization, … } }
///     localization = place and { "substitutions"?: { NAME: substitution, … } }
///     place        = { "stringUnit"?: { "state", "value" }, "variations"?: variations }
///     variations   = { "plural"?: { CATEGORY: place, … }, "device"?: { DEVICE: place, … },
///                      "width"?: { NUMBER: place, … } }
///     substitution = { "argNum"?, "formatSpecifier", "variations": { "plural": … } }
///
/// | case | result |
/// |---|---|
/// | nothing in the source language | the key is the text |
/// | nothing in another language | no entry |
/// | source language, `new` in an entry without `extractionState` | what it says; uncertain |
/// | another language, the same | as if it was not there |
/// | and what varies loses its `other` by that | no entry; uncertain, warning |
/// | any other text, whatever its state; `shouldTranslate: false` | what it says |
/// | `stringSet` | its first text, warning |
/// | several of `stringUnit`, `plural`, `device` and `width` | see ``CatalogVariations`` |
/// | variations by anything else | left out, error |
/// | a localization that is no language | left out, error |
/// | a key, language, category, device or substitution twice | the last wins, warning |
/// | what Xcode does not compile, U+0000, a text too long | error, the localization is left out |
/// | an entry that is no object, a key too long | error, the entry is left out |
/// | a field that is not listed here | ignored; with a warning at the top |
///
/// "Uncertain" means: nobody knows what a device shows, so the key is never left to a device, see
/// `StringTable`.
///
/// Files have the encodings of ``SourceText``. The source language's table comes first, the others
/// as they first appear. Source: docs/apple.md 5.3, there from files that Xcode wrote and its
/// `xcstringstool`.
enum StringCatalogReader {
  /// The tables of a file, one per language; `recordsPlaces` fills ``FileTable/places``.
  static func read(
    _ file: SourceFile, table: String, recordsPlaces: Bool
  ) -> FileContents {
    let source: SourceText
    do throws(Finding) {
      source = try SourceText(file.bytes)
    } catch {
      return FileContents(
        diagnostics: PositionCounter.diagnostics([error], file: file.path, text: file.bytes))
    }
    var contents = FileContents()
    var reading = StringCatalogReading(
      table: table, text: source.utf8, recordsPlaces: recordsPlaces)
    if let warning = source.warning { reading.findings.append(warning) }
    do throws(Finding) {
      try reading.read(try root(of: source.utf8))
      contents.tables = reading.tables
      contents.textsLeftOut = reading.textsLeftOut
    } catch {
      reading.findings.append(error)
    }
    contents.diagnostics = reading.findings.diagnostics(file: file.path, text: source.utf8)
    return contents
  }

  private static func root(of text: [UInt8]) throws(Finding) -> [JSONNode.Member] {
    guard !text.isEmpty else {
      throw Finding(offset: 0, code: .emptyFile, message: "The file is empty.")
    }
    do throws(JSONFault) {
      let node = try JSONNode(parsing: text, maximumCount: Limits.catalogValues)
      if case .object(let members) = node.content { return members }
    } catch {
      throw switch error.reason {
      case .tooDeep:
        Finding(
          offset: error.offset, code: .limitExceeded,
          message: "Values are nested deeper than \(JSONValue.maximumDepth) levels.")
      case .tooMany:
        Finding(
          offset: error.offset, code: .limitExceeded,
          message: "There are more than \(Limits.catalogValues) values.")
      default:
        Finding(offset: error.offset, code: .malformedJSON, message: error.detail(in: text))
      }
    }
    throw Finding(
      offset: 0, code: .notADictionary, message: "The file holds no object with strings.")
  }
}
