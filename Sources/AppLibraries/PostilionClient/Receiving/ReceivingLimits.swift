/// What bounds the receiving part, each with its reason.
///
/// A notification has at most 5120 bytes (docs/apple.md 2.5), but whoever has the device tokens and
/// the key of the app may put anything into them.
enum ReceivingLimits {
  /// Levels of arrays and objects that are kept of a payload: Postilion sends at most 18, and a
  /// walk of each level costs stack, of which a thread of iOS may have 512 KB.
  static let depth = 64
  /// Payloads that wait for a handler: more than arrive while an app starts.
  static let keptPayloads = 32
  /// Payloads that wait in one stream for its consumer; the newest stay.
  static let streamedPayloads = 32
  /// Seconds between two of a local notification that repeats: the least that Apple allows.
  static let repeatedSeconds = 60.0
  /// Seconds until a local notification is shown: one year, as Postilion has it.
  static let triggerSeconds = 31_536_000.0
  /// Metres of the radius of a circle, as Postilion has it.
  static let radius = 1.0...1_000_000
  /// Attachments of one notification: a system shows the first, and a payload holds few.
  static let attachments = 8
  /// Bytes of one attachment: Apple's bound for an image. Sound has 5 MB and film 50 MB.
  static let attachmentBytes = 10_485_760
  /// Seconds for a download: a service extension has about 30 in all.
  static let downloadSeconds = 20.0
  /// Seconds that a notification waits for its receipt: it is for the person, not for the backend.
  static let receiptSeconds = 5.0
  /// Seconds that anything waits: a year, as good as for ever, and far from what nanoseconds hold.
  static let sleepSeconds = 31_536_000.0
  /// Redirections that a download follows: one for a link that is signed, and some to spare.
  static let redirections = 5
}
