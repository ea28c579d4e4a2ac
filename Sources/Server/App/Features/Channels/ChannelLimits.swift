extension Limits {
  /// Channels of an app: Apple allows as many in each of its environments.
  static let channels: Int64 = 10_000
  /// A channel, or its id: a few short fields.
  static let channelBodyBytes = 16 * 1024
  /// Bytes of the id that APNs gives a channel: it has some dozen.
  static let channelIDBytes = 256
}
