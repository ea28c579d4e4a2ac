/// A place in a text.
public struct TextPosition: Sendable, Hashable {
  /// The offset in bytes, from 0.
  public var byte: Int
  /// The line, from 1; a line feed ends one.
  public var line: Int
  /// The column in characters (Unicode scalars), from 1.
  public var column: Int

  /// The place of a byte of a text in UTF-8.
  /// - Parameter earlier: The place of a byte before it, if there is one: the text is counted from
  ///   there.
  public init(of byte: Int, in text: [UInt8], behind earlier: TextPosition? = nil) {
    let known = earlier.flatMap { $0.byte <= byte ? $0 : nil }
    let before = text[(known?.byte ?? 0)..<min(byte, text.count)]
    let lineFeed = UInt8(ascii: "\n")
    let start = before.lastIndex(of: lineFeed).map { $0 + 1 }
    self.byte = byte
    line = (known?.line ?? 1) + before.count { $0 == lineFeed }
    column =
      before[(start ?? before.startIndex)...].count { $0 & 0xC0 != 0x80 }
      + (start == nil ? known?.column ?? 1 : 1)
  }

  /// The place in words: `line 3, column 5 (byte 41)`.
  public var text: String { "line \(line), column \(column) (byte \(byte))" }
}
