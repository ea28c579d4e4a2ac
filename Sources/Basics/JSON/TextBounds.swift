/// The bounds of a text, in bytes of UTF-8; U+0000 is out of them always.
public struct TextBounds {
  public var minimum: Int
  public var maximum: Int

  /// Bounds, both included.
  public init(minimum: Int = 0, maximum: Int) {
    self.minimum = minimum
    self.maximum = maximum
  }

  /// The fault of a text, `nil` when it is within the bounds.
  public func fault(of text: String) -> (InputFault, String)? {
    if text.utf8.count > maximum { return (.tooLong, "At most \(maximum) bytes.") }
    if text.utf8.count < minimum { return (.tooShort, "At least \(minimum) bytes.") }
    if text.utf8.contains(0) { return (.containsNUL, "U+0000 is not taken.") }
    return nil
  }
}
