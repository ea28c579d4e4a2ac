/// Reads an XLIFF 1.2 file as Xcode exports it.
enum XLIFFReader {
  /// The tables of a file, source and target; `recordsPlaces` fills ``FileTable/places``.
  static func read(
    _ file: SourceFile, recordsPlaces: Bool
  ) -> FileContents {
    FileContents(diagnostics: [
      Diagnostic(
        file: file.path, severity: .error, code: .unsupportedFormat,
        message: "Files of this kind cannot be imported yet.")
    ])
  }
}
