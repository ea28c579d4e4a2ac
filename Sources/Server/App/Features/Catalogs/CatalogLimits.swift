internal import CatalogFormats

extension Limits {
  /// A catalog upload. Programs that send an upload know the same bound.
  static let catalogBodyBytes = UploadLimits.bodyBytes

  /// Catalogs of a page at most: each may have a thousand diagnostics, 200 KB.
  static let catalogsPage = 50
  /// Keys that the answer to an upload names as removed: as many as an upload may have diagnostics.
  static let removedKeys = 1000
  /// How often an upload is read anew because another one of the same catalog was faster: so many
  /// clients would have to send at the same time.
  static let catalogAttempts = 100
  /// Bytes of files that go to the database at a time, but for one file of any size: a third of a
  /// millisecond.
  static let storedPortionBytes = 256 * 1024

  /// Entries of a catalog that a streamed answer takes at a time.
  static let stringsPerPortion = 256
}
