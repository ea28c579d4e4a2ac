/// Reads a `.stringsdict` file.
enum StringsDictionaryReader {
  /// The table of a file; `recordsPlaces` fills ``FileTable/places``.
  static func read(
    _ file: SourceFile, localization: String, table: String, recordsPlaces: Bool
  ) -> FileContents {
    FileContents(diagnostics: [
      Diagnostic(
        file: file.path, severity: .error, code: .unsupportedFormat,
        message: "Files of this kind cannot be imported yet.")
    ])
  }
}
