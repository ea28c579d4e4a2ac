extension Limits {
  /// Days that stats show when the caller does not say.
  static let statsDaysDefault = 30
  /// Days that stats show at most: a year, and the same day of the year before.
  static let statsDays = 366
  /// Values of a dimension that stats name; a chart has room for fewer.
  static let statsValues = 50
}
