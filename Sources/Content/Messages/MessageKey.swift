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
