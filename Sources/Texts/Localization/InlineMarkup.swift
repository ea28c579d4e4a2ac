import ASCII

/// Apple's markup for words that shall agree with others, and for attributes of an app's own. An
/// app reads it into an `AttributedString`; a notification shows it as it is written.
///
/// | text | words |
/// |---|---|
/// | `^[%lld boat](inflect: true)` | `%lld boat` |
/// | `^[^[big](morphology: {number: 'plural'}) boats](inflect: true)` | `big boats` |
/// | `^[seat \[3\]](agreeWithArgument: 1)` | `seat [3]` |
/// | `^ [%lld boat] (inflect: true)`, as machines translate it | `%lld boat` |
/// | `x^[2](see below)`, `[Help](https://example.com)` | as they are |
///
/// Source: docs/apple.md 6.3; swift-cmark (inlines.c), whose scanner of attributes counts
/// parentheses and knows no quotation marks.
public enum InlineMarkup {
  /// The text without the markup: the words between the brackets stay.
  public static func words(of text: String) -> String {
    // Each text that is shown is looked through.
    let mark = UInt8(ascii: "^")
    let isMarked = text.utf8.withContiguousStorageIfAvailable { $0.contains(mark) }
    guard isMarked ?? text.utf8.contains(mark) else { return text }
    var scan = MarkupScan(Array(text.utf8))
    return scan.words() ?? text
  }

  /// Whether a text has such markup.
  public static func isIn(_ text: String) -> Bool {
    words(of: text).utf8.count != text.utf8.count
  }
}

/// One walk through a text.
private struct MarkupScan {
  private struct Bracket {
    /// Where the bracket is, with the `^` before it.
    let place: Range<Int>
    /// How many escapes stand before the bracket.
    let escapes: Int
  }

  private let bytes: [UInt8]
  /// The brackets that are open.
  private var brackets: [Bracket] = []
  /// Backslashes before punctuation.
  private var escapes: [Int] = []
  /// The ranges that are markup.
  private var markup: [Range<Int>] = []

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
  }

  /// The text without the markup; nil when it has none.
  mutating func words() -> String? {
    var index = 0
    while let byte = byte(at: index) {
      switch byte {
      case UInt8(ascii: "\\") where self.byte(at: index + 1)?.isPunctuation == true:
        escapes.append(index)
        index += 2
      case UInt8(ascii: "^"):
        let next = afterSpaces(index + 1)
        if self.byte(at: next) == UInt8(ascii: "[") {
          brackets.append(Bracket(place: index..<next + 1, escapes: escapes.count))
          index = next
        }
        index += 1
      case UInt8(ascii: "["):
        brackets.append(Bracket(place: index..<index, escapes: escapes.count))
        index += 1
      case UInt8(ascii: "]"): index = close(at: index)
      default: index += 1
      }
    }
    guard !markup.isEmpty else { return nil }
    var words: [UInt8] = []
    var copied = 0
    for range in markup.sorted(by: { $0.lowerBound < $1.lowerBound }) {
      words += bytes[copied..<range.lowerBound]
      copied = range.upperBound
    }
    return String(decoding: words + bytes[copied...], as: UTF8.self)
  }

  /// Closes the last bracket, and returns the place to go on at.
  private mutating func close(at index: Int) -> Int {
    guard let bracket = brackets.popLast(), !bracket.place.isEmpty,
      let end = endOfAttributes(at: afterSpaces(index + 1))
    else { return index + 1 }
    markup += [bracket.place, index..<end]
    markup += escapes[bracket.escapes...].map { $0..<$0 + 1 }
    escapes.removeSubrange(bracket.escapes...)
    return end
  }

  /// The place behind `(name: value, …)`; nil when there is no such thing.
  private func endOfAttributes(at start: Int) -> Int? {
    guard byte(at: start) == UInt8(ascii: "("), isNamed(at: afterSpaces(start + 1)) else {
      return nil
    }
    var depth = 0
    var index = start + 1
    while let byte = byte(at: index), index - start <= Limits.attributeBytes {
      switch byte {
      case UInt8(ascii: "\\"): index += 1
      case UInt8(ascii: "("): depth += 1
      case UInt8(ascii: ")") where depth == 0: return index + 1
      case UInt8(ascii: ")"): depth -= 1
      default: break
      }
      index += 1
    }
    return nil
  }

  /// Whether a name and a colon stand there; a name may be quoted, or translated by mistake.
  private func isNamed(at start: Int) -> Bool {
    var index = start
    while let byte = byte(at: index), byte.isNameByte, index - start <= Limits.attributeBytes {
      index += 1
    }
    return index > start && byte(at: afterSpaces(index)) == UInt8(ascii: ":")
  }

  private func afterSpaces(_ start: Int) -> Int {
    var index = start
    while byte(at: index) == UInt8(ascii: " "), index - start < Limits.attributeBytes { index += 1 }
    return index
  }

  private func byte(at index: Int) -> UInt8? { index < bytes.count ? bytes[index] : nil }
}

extension UInt8 {
  fileprivate var isPunctuation: Bool {
    (0x21...0x7E).contains(self) && !isASCIILetter && !isASCIIDigit
  }

  fileprivate var isNameByte: Bool {
    isASCIILetter || isASCIIDigit || self >= 0x80 || "_.\"'".utf8.contains(self)
  }
}
