extension Limits {
  /// Installations of a person that one answer shows, the last seen: hardly anyone has as many. The
  /// list by `user` has all of them.
  static let userInstallations = 50
  /// Events of the tokens of these installations that one answer shows.
  static let userEvents = 50
}
