/// The bounds of an answer about a faulty input, each with its reason.
public enum InputLimits {
  /// Faults that one answer lists: more help nobody, and the answer stays small.
  public static let problems = 50
  /// Bytes of the text about a fault, its value included: a few sentences.
  public static let detailBytes = 1024
  /// Bytes of the place of a fault: a dozen names within each other. If the place is longer, its
  /// end is told.
  static let pointerBytes = 1024
  /// Bytes of an unknown name that are repeated in an answer.
  public static let quotedNameBytes = 64
}
