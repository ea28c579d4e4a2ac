/// Why something of an app's content cannot be had or changed.
package enum ContentFailure: Error, Sendable {
  /// The app has no catalog of that version.
  case catalogNotFound
  /// Nothing is stored under the name.
  case messageNotFound
  /// Another release stored the message, and this one cannot read it.
  case messageUnreadable
  /// The app was deleted meanwhile.
  case appDeleted
}
