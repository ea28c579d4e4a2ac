/// The bounds of a message, each with its reason.
///
/// A payload has at most 4096 bytes (5120 for VoIP), so nothing that cannot fit is worth storing.
public enum MessageLimits {
  /// Bytes of a name, key, table, category or other identifier; a payload holds several.
  public static let identifierBytes = 512
  /// Bytes of one literal text in one language.
  public static let textBytes = 4096
  /// Languages of one literal text: more than any app ships (107 is the largest seen).
  public static let languages = 256
  /// Arguments of one text, and parameters of a message.
  public static let parameters = 64
  /// Words of a choice: CLDR knows nine genders and six plural categories, and each word has a text
  /// in each language.
  public static let choices = 16
  /// Bytes of such a word, which is a name and no text.
  public static let choiceBytes = 64
  /// Bytes of a string argument.
  public static let argumentBytes = 4096
  /// Bytes of a date's skeleton: all its fields at their widest are shorter.
  public static let skeletonBytes = 64
  /// Keys within each other in an argument that is translated; sentences nest twice.
  public static let translatedDepth = 4
  /// Values for the placeholders of one such key.
  public static let translatedArguments = 16
  /// Keys of one argument: each is looked up and filled for every device.
  public static let translatedTexts = 64
  /// Localizations that a warning lists; its detail counts them all.
  public static let warnedLanguages = 20
  /// Problems told of one rendering; more of them would say nothing new.
  public static let problems = 128
  /// Bytes of a filled text, or of all that is filled into `data`. After them nothing more is
  /// filled in: the text fits into no payload, and is cut or refused as it is.
  public static let filledBytes = 5120
  /// Bytes of a word that a device puts into its own text, for a form. A longer word may make the
  /// text too long, which is told.
  static let clientWordBytes = 128
  /// Bytes of `data`, encoded, before its placeholders are filled.
  public static let dataBytes = 5120
  /// Nesting of `data`; deeper values are a mistake, and a walk of them costs stack.
  public static let dataDepth = 16
  /// Seconds of `ttl`: APNs keeps nothing longer than 30 days.
  public static let ttlSeconds = 2_592_000
  /// Seconds until an ended Live Activity goes: the system removes it after four hours anyway.
  static let dismissalSeconds = 14_400
  /// Seconds of `ttl` in a message that is stored: one year was allowed once.
  static let storedTTLSeconds = 31_536_000
  /// The largest `badge`: a device can show far less, and can parse 32 bits.
  public static let badge = 2_147_483_647
  /// Seconds until a local notification is shown: one year.
  public static let triggerSeconds = 31_536_000
  /// Seconds between two of a local notification that repeats: the least that Apple allows.
  public static let repeatedSeconds = 60
  /// Metres from the centre of a circle to its edge: a system watches hundreds of kilometres at
  /// most.
  static let radius = 1.0...1_000_000
}
