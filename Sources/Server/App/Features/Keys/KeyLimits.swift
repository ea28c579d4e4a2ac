extension Limits {
  /// Keys of an app that are in use, and root keys: one for each backend, tool and person of a
  /// large team. All are in memory, and each change of one reads all.
  static let keys: Int64 = 100
  /// Revoked keys that are kept to be shown, the latest. The audit log knows of the other revoked
  /// keys.
  static let revokedKeys: Int64 = 100
}
