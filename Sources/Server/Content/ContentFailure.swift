/// Why something of an app's content cannot be had or changed.
package enum ContentFailure: Error, Sendable {
  /// The app has no catalog of that version.
  case catalogNotFound
  /// Other uploads of the catalog were faster, again and again.
  case catalogOutrun
  /// Nothing is stored under the name.
  case messageNotFound
  /// Another release stored the message, and this one cannot read it.
  case messageUnreadable
  /// The app has no channel of the name.
  case channelNotFound
  /// APNs has not made the channel yet, or has it no more.
  case channelNotCreated
  /// The activity that starts is of another attributes type than the channel it subscribes to.
  case channelOfOtherType
  /// The app was deleted meanwhile.
  case appDeleted
}
