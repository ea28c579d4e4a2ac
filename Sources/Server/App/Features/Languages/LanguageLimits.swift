extension Limits {
  /// Localizations of one bundle that a match is asked for; the largest apps have about 120.
  static let matchedLocalizations = 500
  /// Localizations that a match with a client key is asked for: as many as one app has.
  static let matchedByClient = 128
  /// Each localization of a match: the name of a file, which need not be a language.
  static let matchedTagBytes = 255
}
