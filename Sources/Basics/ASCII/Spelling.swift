/// A text that is compared by its bytes: two are equal when all their bytes are the same.
///
/// Texts from outside are compared so where they are long or many. Swift takes two spellings of é
/// for one text, and to find out it puts the marks behind each letter in order, which takes
/// quadratic time: a letter with 30,000 marks half a second.
public struct Spelling: Hashable, Comparable, Sendable {
  public let text: String

  public init(_ text: String) { self.text = text }

  public static func == (one: Self, other: Self) -> Bool {
    one.text.isSpelled(like: other.text)
  }

  /// The order of the bytes.
  public static func < (one: Self, other: Self) -> Bool {
    withBytes(one.text, other.text) { one, other in
      let index = firstDifference(one, other)
      return index < min(one.count, other.count)
        ? one[index] < other[index] : one.count < other.count
    }
  }

  public func hash(into hasher: inout Hasher) {
    var text = text
    text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
  }
}

extension Spelling: CustomStringConvertible {
  public var description: String { text }
}

extension Spelling: ExpressibleByStringLiteral {
  public init(stringLiteral text: StaticString) { self.init(text.description) }
}

extension Dictionary where Key == Spelling {
  public subscript(text: String) -> Value? {
    get { self[Spelling(text)] }
    set { self[Spelling(text)] = newValue }
  }
}

extension Set<Spelling> {
  public func contains(_ text: String) -> Bool { contains(Spelling(text)) }

  /// - Returns: Whether the text is new.
  @discardableResult
  public mutating func insert(_ text: String) -> Bool { insert(Spelling(text)).inserted }
}

extension StringProtocol {
  /// Whether the bytes begin with those of another text.
  public func hasBytes(atStart start: String) -> Bool { utf8.starts(with: start.utf8) }

  /// Whether the bytes end with those of another text.
  public func hasBytes(atEnd end: String) -> Bool {
    utf8.suffix(end.utf8.count).elementsEqual(end.utf8)
  }

  /// The parts between separators. A separator is a character of ASCII. It counts whatever marks
  /// follow it.
  public func parts(between separator: Unicode.Scalar, keepsEmpty: Bool = false) -> [String] {
    utf8.split(separator: UInt8(ascii: separator), omittingEmptySubsequences: !keepsEmpty)
      .map { String(decoding: $0, as: UTF8.self) }
  }
}

extension RawRepresentable<String> {
  /// Finds the word of a fixed list that equals a text from outside to the byte; `nil` for any
  /// other text.
  ///
  /// Words are short and of ASCII. Swift compares such texts by their bytes. A text that is long or
  /// not of ASCII is not compared.
  @inlinable
  public init?(spelled text: String) {
    guard text.utf8.count <= 64, text.utf8.allSatisfy({ $0 < 0x80 }) else { return nil }
    self.init(rawValue: text)
  }
}

extension Sequence<String> {
  /// The texts in the order of their bytes.
  public func sortedBySpelling() -> [String] { map(Spelling.init).sorted().map(\.text) }
}

extension String {
  /// Whether the text is a word of ASCII in any case: `Identity` is the word `identity`.
  public func isWord(_ word: String) -> Bool {
    utf8.count == word.utf8.count && lowercased() == word
  }

  /// Whether another text has the same bytes. Most have another length: callers see that inline.
  @inlinable
  public func isSpelled(like other: String) -> Bool {
    utf8.count == other.utf8.count && hasBytes(of: other)
  }

  @usableFromInline
  func hasBytes(of other: String) -> Bool {
    withBytes(self, other) { firstDifference($0, $1) == $0.count }
  }

  /// The text, or the beginning of a longer text with `…`. Answers and logs show texts from outside
  /// so.
  public func shortened(to bytes: Int) -> String {
    guard utf8.count > bytes else { return self }
    var end = utf8.index(startIndex, offsetBy: bytes)
    while utf8[end] & 0xC0 == 0x80 { end = utf8.index(before: end) }
    // A part beside a text would be added letter by letter, with the marks of each.
    return String(self[..<end]) + "…"
  }
}

private func withBytes<Result>(
  _ one: String, _ other: String,
  _ body: (UnsafeBufferPointer<UInt8>, UnsafeBufferPointer<UInt8>) -> Result
) -> Result {
  // Native texts give their bytes in place. Only a text that another language made has to be
  // copied.
  let result = one.utf8.withContiguousStorageIfAvailable { bytes in
    other.utf8.withContiguousStorageIfAvailable { body(bytes, $0) }
  }
  if let result, let result { return result }
  var (one, other) = (one, other)
  return one.withUTF8 { one in other.withUTF8 { other in body(one, other) } }
}

/// Where two texts differ, or the length of the shorter one; eight bytes at a step.
private func firstDifference(
  _ one: UnsafeBufferPointer<UInt8>, _ other: UnsafeBufferPointer<UInt8>
) -> Int {
  let count = min(one.count, other.count)
  guard let one = one.baseAddress, let other = other.baseAddress else { return 0 }
  let (words, others) = (UnsafeRawPointer(one), UnsafeRawPointer(other))
  var index = 0
  while index &+ 8 <= count,
    words.loadUnaligned(fromByteOffset: index, as: UInt64.self)
      == others.loadUnaligned(fromByteOffset: index, as: UInt64.self)
  {
    index &+= 8
  }
  while index < count, one[index] == other[index] { index &+= 1 }
  return index
}
