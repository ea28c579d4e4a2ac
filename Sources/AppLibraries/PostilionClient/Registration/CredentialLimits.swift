/// The bounds of the HTTP contract for tokens. The service refuses a whole report for what is
/// beyond them, so none of it is sent.
enum CredentialLimits {
  /// Tags, or attributes, that one report changes by name: as many as an installation has tags.
  static let sharedNames = 60
  /// The bytes of a token.
  static let tokenBytes = 16...512
  /// The bytes of a name: an activity's id, an attributes type, a control, a session.
  static let nameBytes = 1...256
  /// The names of a kind in a report, and the controls of a handler.
  static let names = 32
  /// The configured widgets as JSON.
  static let widgetsBytes = 4096
}
