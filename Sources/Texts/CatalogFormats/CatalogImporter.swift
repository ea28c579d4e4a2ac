internal import ASCII
public import Localization

public struct ImportResult: Sendable {
  /// The language that the app was written in, as given.
  public let developmentLanguage: String
  /// The tables of all files, put together: one per table and localization.
  public let tables: [StringTable]
  /// The localizations in order of appearance, as folders and files spell them; may hold `Base`.
  public let languages: [String]
  /// How many keys have a text of each state, by localization; only string catalogs and XLIFF have
  /// states.
  public let states: [String: [String: Int]]
  /// The files that were read: as given, and those of archives one by one.
  public let files: [SourceFile]
  /// Errors and warnings, file by file.
  public let diagnostics: [Diagnostic]
  /// How many entries cannot be read, in whole or in part: each key counts once in a language.
  public let entriesLeftOut: Int
  /// Whether a file cannot be read at all: then the import should not be applied.
  public let rejectsFiles: Bool

  /// Whether anything cannot be read, be it one entry or a file.
  public var hasErrors: Bool { diagnostics.contains { $0.severity == .error } }

  public var catalog: Catalog {
    Catalog(developmentLanguage: developmentLanguage, tables: tables)
  }
}

/// Reads the string files of an app into tables.
///
/// Files of one table and localization complement each other: `.stringsdict` beats `.strings` on
/// the same key, and a translation in an XLIFF file replaces both. Of two bundles with one table
/// the app's own counts, see ``BundleOrder``; the other bundle fills in the keys that it lacks.
public enum CatalogImporter {
  /// Reads `files`, each by its path and extension, those of a zip archive by their paths in it.
  /// Never fails: an entry or file that cannot be read is an error diagnostic, and the others are
  /// read all the same, so that one upload shows all errors. It ends early when its task is
  /// cancelled, and then its result is of no use.
  ///
  /// - Parameters:
  ///   - files: the files, in the order of the bundle's languages.
  ///   - stored: files that stay unless one of `files` takes their place.
  ///   - developmentLanguage: the language that the app was written in.
  ///   - appNames: the names of the app, its bundle identifier among them.
  ///   - lints: whether the languages are compared, too; the findings are warnings.
  public static func read(
    _ files: [SourceFile], over stored: [SourceFile] = [], developmentLanguage: String,
    appNames: [String] = [], lints: Bool = false
  ) -> ImportResult {
    var reading = Reading(appNames: appNames, lints: lints)
    let files = reading.put(reading.unpacked(files), over: stored)
    reading.bundles = LocalizedPath.bundles(of: files.prefix(Limits.files))
    for file in files { guard !Task.isCancelled, reading.add(file) else { break } }
    return reading.result(developmentLanguage: developmentLanguage)
  }

  private struct Reading {
    private var tables: [(file: String, table: FileTable)] = []
    private var diagnostics: [Diagnostic] = []
    private var files: [SourceFile] = []
    private var paths: Set<Spelling> = []
    private var count = 0
    private var bytes = 0
    private var entriesLeftOut = 0
    private var rejectsFiles = false
    /// The folders that hold an `.lproj`.
    var bundles: Set<Spelling> = []
    private let appNames: [String]
    private let lints: Bool

    init(appNames: [String], lints: Bool) {
      self.appNames = appNames
      self.lints = lints
    }

    /// The files, with the contents of archives in place of the archives; then all sorted by path.
    mutating func unpacked(_ files: [SourceFile]) -> [SourceFile] {
      guard files.contains(where: CatalogArchive.isArchive) else { return files }
      var unpacked: [SourceFile] = []
      var bytes = UploadLimits.bytes
      // More files than that are refused in `add`.
      for file in files where unpacked.count <= Limits.files {
        guard CatalogArchive.isArchive(file) else {
          unpacked.append(file)
          continue
        }
        do throws(Finding) {
          unpacked += try CatalogArchive.files(of: file, bytes: &bytes)
        } catch {
          fail(file, error.code, error.message)
        }
      }
      return unpacked.sorted { Spelling($0.path) < Spelling($1.path) }
    }

    /// The files, and the stored files that they leave in place.
    mutating func put(_ files: [SourceFile], over stored: [SourceFile]) -> [SourceFile] {
      guard !stored.isEmpty, files.count <= Limits.files else { return files }
      let replacement = FileReplacement(of: stored, by: files)
      for (file, paths) in replacement.ambiguous {
        fail(
          file, .duplicateFile,
          "It may be meant for '\(paths[0].quoted)' or '\(paths[1].quoted)': add its folders.")
      }
      return replacement.files
    }

    /// Reads one file; false when the whole upload is too large to go on.
    mutating func add(_ file: SourceFile) -> Bool {
      count += 1
      guard count <= Limits.files else {
        fail(file, .limitExceeded, "There are more than \(Limits.files) files.")
        return false
      }
      guard file.bytes.count <= UploadLimits.fileBytes else {
        fail(file, .limitExceeded, "The file is larger than \(UploadLimits.fileBytes) bytes.")
        return true
      }
      bytes += file.bytes.count
      guard bytes <= UploadLimits.bytes else {
        fail(file, .limitExceeded, "The files are larger than \(UploadLimits.bytes) bytes.")
        return false
      }
      do throws(Finding) {
        let path = try LocalizedPath(file.path, bundles: bundles)
        guard paths.insert(file.path) else {
          throw Finding(offset: 0, code: .duplicateFile, message: "Another file has this path.")
        }
        files.append(file)
        let contents = contents(of: file, path)
        diagnostics += contents.diagnostics
        entriesLeftOut += contents.entriesLeftOut
        if contents.isRejected { rejectsFiles = true }
        tables += contents.tables.filter { !$0.isUntranslated }.map { table in
          var table = table
          guard path.format != .xliff else { return (file.path, table) }
          table.bundle = LocalizedPath.bundle(of: file.path)
          table.isOutside = path.localization?.isEmpty == true
          table.restrict(to: path.table.device)
          return (file.path, table)
        }
      } catch {
        fail(file, error.code, error.message)
      }
      return true
    }

    private func contents(of file: SourceFile, _ path: LocalizedPath) -> FileContents {
      switch path.format {
      case .strings:
        return StringsParser.read(
          file, localization: path.localization ?? "", table: path.table.text, recordsPlaces: lints)
      case .stringsDictionary:
        return StringsDictionaryReader.read(
          file, localization: path.localization ?? "", table: path.table.text, recordsPlaces: lints)
      case .stringCatalog:
        return StringCatalogReader.read(file, table: path.table.text, recordsPlaces: lints)
      case .xliff:
        return XLIFFReader.read(file, recordsPlaces: lints)
      }
    }

    mutating func fail(_ file: SourceFile, _ code: Diagnostic.Code, _ message: String) {
      rejectsFiles = true
      diagnostics.append(
        Diagnostic(file: file.path, severity: .error, code: code, message: message))
    }

    mutating func result(developmentLanguage: String) -> ImportResult {
      let merge = TableMerge(tables, appNames: appNames, keepsParts: lints)
      diagnostics += merge.diagnostics
      guard merge.languages.count <= Limits.languages, merge.cells <= Limits.cells else {
        let message =
          "There are more than \(Limits.languages) languages, "
          + "or \(Limits.cells) keys times languages."
        let failure = Diagnostic(
          file: "", severity: .error, code: .limitExceeded, message: message)
        return ImportResult(
          developmentLanguage: developmentLanguage, tables: [], languages: [], states: [:],
          files: [], diagnostics: [failure], entriesLeftOut: 0, rejectsFiles: true)
      }
      if lints {
        var lint = CatalogLint(merge.parts, developmentLanguage: developmentLanguage)
        diagnostics += lint.diagnostics(limit: Limits.fileDiagnostics)
      }
      return ImportResult(
        developmentLanguage: developmentLanguage, tables: merge.tables,
        languages: merge.languages, states: merge.states, files: files,
        diagnostics: limitedDiagnostics, entriesLeftOut: entriesLeftOut,
        rejectsFiles: rejectsFiles)
    }

    /// At most the limit, errors before warnings, so that no error is ever cut away by warnings.
    private var limitedDiagnostics: [Diagnostic] {
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
