/// A place in a text.
public struct TextPosition: Sendable, Hashable {
  /// The offset in bytes, from 0.
  public var byte: Int
  /// The line, from 1; a line feed ends one.
  public var line: Int
  /// The column in characters (Unicode scalars), from 1.
  public var column: Int

  /// The place of a byte of a text in UTF-8.
  public init(of byte: Int, in text: [UInt8]) {
    let before = text.prefix(byte)
    let lineFeed = UInt8(ascii: "\n")
    let start = before.lastIndex(of: lineFeed).map { $0 + 1 } ?? 0
    self.byte = byte
    line = before.count { $0 == lineFeed } + 1
    column = before[start...].count { $0 & 0xC0 != 0x80 } + 1
  }

  /// The place in words: `line 3, column 5 (byte 41)`.
  public var text: String { "line \(line), column \(column) (byte \(byte))" }
}
