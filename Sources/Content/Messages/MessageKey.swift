import Postgres

/// One app's message of one name.
package struct MessageKey: Hashable, Sendable {
  package var appID: Int32
  package var name: MessageName

  /// A message of an app.
  package init(appID: Int32, name: MessageName) {
    self.appID = appID
    self.name = name
  }
}

extension Parameters {
  /// Appends the app and the name.
  mutating func append(_ key: MessageKey) {
    append(key.appID)
    append(key.name.text)
  }
}
