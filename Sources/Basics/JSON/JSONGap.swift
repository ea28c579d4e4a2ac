/// A place in JSON text at which a word is left out, to be filled in later.
///
///     {"body":" is ready"}   with the gap (offset 9, word 0)
///
/// A text with gaps has a noncharacter of Unicode for each, U+FDD0 for word 0 to U+FDEF for word
/// 31: these 32 code points are for use inside of a program (The Unicode Standard, section 23.7). A
/// ``JSONWriter`` that leaves gaps notes their places instead of writing them.
public struct JSONGap: Sendable, Hashable {
  /// Bytes before it.
  public var offset: Int
  /// Which word belongs there, from 0.
  public var word: Int

  /// How many words there can be.
  public static let words = 32

  /// The noncharacter that stands for a word in a text.
  /// - Parameter word: Less than ``words``.
  public static func mark(_ word: Int) -> String {
    String(decoding: [firstByte, 0xB7, 0x90 + UInt8(word)], as: UTF8.self)
  }

  /// Whether a text has a mark in it.
  public static func isIn(_ text: String) -> Bool {
    text.unicodeScalars.contains { (0xFDD0...0xFDEF).contains($0.value) }
  }

  static let firstByte: UInt8 = 0xEF
  static let markBytes = 3

  /// The word whose mark is at a place in UTF-8.
  static func word(at index: Int, in text: UnsafeBufferPointer<UInt8>) -> Int? {
    guard index + 2 < text.count, text[index + 1] == 0xB7, (0x90...0xAF).contains(text[index + 2])
    else { return nil }
    return Int(text[index + 2] - 0x90)
  }
}
