extension Limits {
  /// A message to store: three texts of 200 bytes in a hundred languages.
  static let messageBodyBytes = 64 * 1024

  /// Messages of an app: people maintain them.
  static let messages: Int64 = 1000
  /// Messages of a page at most, each with its body: a few megabytes.
  static let messagesPage = 100
  /// App builds, the newest, whose catalogs a message is compared with.
  static let checkedCatalogs = 10
  /// Warnings about a message that are told.
  static let messageWarnings = 200
}
