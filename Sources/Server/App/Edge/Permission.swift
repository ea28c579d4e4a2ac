/// The key and the app of a call that goes on for long: a stream that follows the changes, a body
/// of any length. A key that was revoked since, or an app that is gone, ends the call.
struct Permission: Sendable {
  private let key: KeyRecord?
  private let app: AppRecord?
  private let directory: Directory

  init(_ call: Call) {
    (key, app, directory) = (call.key, call.appRecord, call.context.shared.directory)
  }

  /// Checks that the key is still in use and the app still there.
  /// - Throws: `invalid_key`, `app_not_found`, `app_moving`.
  func check() throws(Problem) {
    let snapshot = directory.snapshot
    if let key, !snapshot.keyIDs.contains(key.id) {
      throw Problem(.invalidKey, "The API key was revoked meanwhile.")
    }
    guard let app else { return }
    guard let known = snapshot.apps[app.slug], known.id == app.id else {
      throw Problem(.appNotFound, "The app was deleted meanwhile.")
    }
    try known.checkMove(isChange: false)
  }
}

extension AppRecord {
  /// Refuses calls that the app does not answer while it moves. An app that leaves can still be
  /// read.
  func checkMove(isChange: Bool) throws(Problem) {
    guard moving == nil || moving == .leaving && !isChange else { throw .appMoving }
  }
}
