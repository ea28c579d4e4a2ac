internal import Rendering

extension AppFacts {
  /// What rendering must know of an app.
  init(_ app: AppRecord) {
    self.init(
      bundleID: app.bundleID.text, developmentLanguage: app.developmentLanguage,
      messageTypeKey: app.messageTypeKey, localNotificationKey: app.localNotificationKey)
  }
}
