extension Limits {
  /// Catalogs of an app, the newest, whose coverage is counted ahead: people look at these.
  static let countedCatalogs = 5
  /// Missing keys of a language that its coverage names: a translator's next hour, not the file.
  static let coverageKeys = 100
  /// Messages that a coverage names because a key of theirs has no text.
  static let coverageMessages = 100
  /// Languages without a localization that a coverage names, the most wanted first.
  static let coverageUnserved = 100
  /// Languages without a localization that are counted: as many as ISO 639-3 has.
  /// Devices can name others without end.
  static let coverageCounted = 8192
  /// How long the database may take to count the languages of an app: several millions of rows.
  static let coverageTimeoutMilliseconds = 60_000
}
