extension Limits {
  /// Time between two writes of the last use of a key. A person who looks for an unused key thinks
  /// in days, and a write for each call would cost more than the call.
  static let keyUseMicroseconds: Int64 = 3_600_000_000
  /// Types of Live Activities that an app describes, and bytes of all descriptions as JSON: an app
  /// has a handful.
  static let activityTypes = 64
  static let activityTypesBytes = 32 * 1024
}
