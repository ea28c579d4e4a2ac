/// The bounds of this target.
enum Limits {
  /// How deep values may be within each other. The contract has 20; without a bound a document
  /// could use up the stack of the thread that reads it.
  static let depth = 64
  /// How long a line of an example becomes before its members get lines of their own: what a
  /// phone shows without much turning.
  static let exampleColumns = 76
}
