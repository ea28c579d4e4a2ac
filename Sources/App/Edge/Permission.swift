/// With which key a caller was let in, for what goes on for long behind that: streams that follow
/// the changes, bodies of any length. A key that was revoked since, or an app that is gone, ends
/// them.
struct Permission: Sendable {
  private let key: KeyRecord?
  private let app: AppRecord?
  private let directory: Directory

  /// That of a call.
  init(_ call: Call) {
    (key, app, directory) = (call.key, call.appRecord, call.context.shared.directory)
  }

  /// Looks again.
  /// - Throws: `invalid_key`, `app_not_found`.
  func check() throws(Problem) {
    let snapshot = directory.snapshot
    if let key, !snapshot.keyIDs.contains(key.id) {
      throw Problem(.invalidKey, "The API key was revoked meanwhile.")
    }
    if let app, snapshot.apps[app.slug]?.id != app.id {
      throw Problem(.appNotFound, "The app was deleted meanwhile.")
    }
  }
}
