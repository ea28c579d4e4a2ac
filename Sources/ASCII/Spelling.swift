/// A text as its bytes: another is equal when it is the same to the byte.
///
/// Texts from outside are compared so where they are long or many. Swift takes two spellings of é
/// for one text, and to find out it puts the marks behind each letter in order, which takes
/// quadratic time: a letter with 30,000 marks half a second.
public struct Spelling: Hashable, Comparable, Sendable {
  /// The text.
  public let text: String

  /// A text.
  public init(_ text: String) { self.text = text }

  /// Whether two texts have the same bytes.
  public static func == (one: Self, other: Self) -> Bool { one.text.isSpelled(like: other.text) }

  /// The order of the bytes.
  public static func < (one: Self, other: Self) -> Bool {
    one.text.utf8.lexicographicallyPrecedes(other.text.utf8)
  }

  /// Hashes the bytes.
  public func hash(into hasher: inout Hasher) {
    var text = text
    text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
  }
}

extension String {
  /// Whether another text has the same bytes.
  public func isSpelled(like other: String) -> Bool { utf8.elementsEqual(other.utf8) }

  /// The text, or the beginning of a longer one with `…`: what answers and logs show of texts from
  /// outside.
  public func shortened(to bytes: Int) -> String {
    guard utf8.count > bytes else { return self }
    var end = utf8.index(startIndex, offsetBy: bytes)
    while utf8[end] & 0xC0 == 0x80 { end = utf8.index(before: end) }
    return self[..<end] + "…"
  }
}
