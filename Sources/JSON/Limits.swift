/// What bounds an answer about a faulty input, each with its reason.
public enum InputLimits {
  /// Faults that one answer lists: more help nobody, and the answer stays small.
  public static let problems = 50
  /// Bytes of an unknown name that are repeated in an answer.
  public static let quotedNameBytes = 64
}
