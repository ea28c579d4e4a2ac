package import CatalogFormats
internal import EventLoop

/// Reads uploads off the loops and one after the other: a large one takes a second of a core and
/// hundreds of megabytes, which neither other requests nor other uploads should pay for together.
package actor CatalogReader {

  package init() {}
  /// An upload's tables, what they hold and what there is to say about them.
  package func read(
    _ files: [SourceFile], developmentLanguage: String
  ) -> (result: ImportResult, contents: ImportContents) {
    defer { SystemMemory.trim() }
    let result = CatalogImporter.read(
      files, developmentLanguage: developmentLanguage, lints: true)
    return (result, result.contents)
  }
}
