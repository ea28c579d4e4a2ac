/// What bounds the receiving of calls, with its reason.
enum CallLimits {
  /// Calls, and withdrawn identifiers, that are remembered: more than ring at once.
  static let rememberedCalls = 32
}
