/// Every bound of catalogs and messages, with its reason. Text lengths are bytes of UTF-8.
package enum ContentLimits {
  // MARK: Names

  /// A catalog's version: an app version or build.
  package static let catalogVersionBytes = 64
  /// Catalogs, present or known to be absent, that memory keeps: thirty apps with thirty builds.
  package static let rememberedCatalogs = 1024
  /// Bytes of the files of those catalogs; in memory they take about twice as much.
  static let rememberedCatalogBytes = 128 << 20
  /// Catalogs of an app, the last uploads, among which the nearest catalog is looked for: ten years
  /// of daily builds.
  static let comparedCatalogs: Int64 = 4096
  /// Bytes of the names of catalogs that memory keeps to find the nearest.
  static let rememberedVersionBytes = 16 << 20
  /// Builds without a catalog that the log tells of, for each app: anyone may register with builds
  /// that do not exist.
  static let toldMissingCatalogs = 64

  // MARK: Rendering

  /// Languages of a preview: more than any app ships (107 is the largest seen).
  package static let previewedLanguages = 256

  // MARK: Messages

  /// Messages, present or known to be absent, that memory keeps.
  static let rememberedMessages = 4096
  /// Bytes of the JSON of those messages; in memory they take some times as much.
  static let rememberedMessageBytes = 16 << 20
  /// Messages that came along with calls and are remembered as they were read. Each call compares
  /// the size of its own message with the sizes of all of them.
  static let recentMessages = 8
  /// Bytes of the JSON of such a message: with a payload of 4 KiB it has no more by far.
  static let recentMessageBytes = 8 << 10
  /// Devices that called last, whose builds count as builds in use: enough to meet a build of one
  /// device in a thousand, and read in some milliseconds.
  static let recentDevices = 4096

  // MARK: Coverage

  /// Builds without a catalog that statistics and coverage list.
  package static let buildsWithoutCatalog = 50
}
