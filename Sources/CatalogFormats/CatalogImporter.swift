public import Localization

/// What an import yields.
public struct ImportResult: Sendable {
  /// The language that the app was written in, as given.
  public let developmentLanguage: String
  /// One table per file that could be read, in the order of the files.
  public let tables: [StringTable]
  /// The localizations in order of appearance, as their folders spell them; may hold `Base`.
  public let languages: [String]
  /// Errors and warnings, file by file.
  public let diagnostics: [Diagnostic]

  /// Whether there is any error: then the import should not be applied.
  public var hasErrors: Bool { diagnostics.contains { $0.severity == .error } }

  /// The catalog of these tables.
  public var catalog: Catalog {
    Catalog(developmentLanguage: developmentLanguage, tables: tables)
  }
}

/// Reads the string files of an app into tables.
public enum CatalogImporter {
  /// Reads `files`, each by its path and extension. Never fails: what cannot be read is an error
  /// diagnostic, and the other files are read all the same, so that one upload shows all errors.
  public static func read(_ files: [SourceFile], developmentLanguage: String) -> ImportResult {
    var reading = Reading()
    for (index, file) in files.enumerated() {
      guard index < Limits.files else {
        reading.fail(file, .limitExceeded, "There are more than \(Limits.files) files.")
        break
      }
      guard reading.add(file) else { break }
    }
    return ImportResult(
      developmentLanguage: developmentLanguage, tables: reading.tables,
      languages: reading.languages, diagnostics: reading.limitedDiagnostics)
  }

  private struct Reading {
    var tables: [StringTable] = []
    var languages: [String] = []
    private var diagnostics: [Diagnostic] = []
    private var seen: Set<[String]> = []
    private var bytes = 0

    /// Reads one file; false when the whole upload is too large to go on.
    mutating func add(_ file: SourceFile) -> Bool {
      guard file.bytes.count <= Limits.fileBytes else {
        fail(file, .limitExceeded, "The file is larger than \(Limits.fileBytes) bytes.")
        return true
      }
      bytes += file.bytes.count
      guard bytes <= Limits.importBytes else {
        fail(file, .limitExceeded, "The files are larger than \(Limits.importBytes) bytes.")
        return false
      }
      do throws(Finding) {
        let path = try LocalizedPath(file.path)
        guard seen.insert([path.localization, path.table]).inserted else {
          fail(file, .duplicateFile, "Another file already holds this table and localization.")
          return true
        }
        let result = StringsParser.parse(file)
        diagnostics += result.diagnostics
        if let entries = result.entries {
          tables.append(
            StringTable(localization: path.localization, name: path.table, entries: entries))
          if !languages.contains(path.localization) { languages.append(path.localization) }
        }
      } catch {
        fail(file, error.code, error.message)
      }
      return true
    }

    mutating func fail(_ file: SourceFile, _ code: Diagnostic.Code, _ message: String) {
      diagnostics.append(
        Diagnostic(file: file.path, severity: .error, code: code, message: message))
    }

    /// At most the limit, errors before warnings, so that no error is ever cut away by warnings.
    var limitedDiagnostics: [Diagnostic] {
      guard diagnostics.count > Limits.importDiagnostics else { return diagnostics }
      let ordered =
        diagnostics.filter { $0.severity == .error }
        + diagnostics.filter { $0.severity == .warning }
      let more = Diagnostic(
        file: "", severity: .warning, code: .moreDiagnostics,
        message: "\(diagnostics.count - Limits.importDiagnostics) more diagnostics.")
      return ordered.prefix(Limits.importDiagnostics) + [more]
    }
  }
}
