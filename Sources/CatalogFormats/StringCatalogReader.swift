/// Reads a `.xcstrings` file.
enum StringCatalogReader {
  /// The tables of a file, one per language; `recordsPlaces` fills ``FileTable/places``.
  static func read(
    _ file: SourceFile, table: String, recordsPlaces: Bool
  ) -> FileContents {
    FileContents(diagnostics: [
      Diagnostic(
        file: file.path, severity: .error, code: .unsupportedFormat,
        message: "Files of this kind cannot be imported yet.")
    ])
  }
}
