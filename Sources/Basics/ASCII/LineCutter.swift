/// Cuts bytes, which come in pieces of any size, into whole lines. Of a line that is longer than
/// the bound the cutter keeps the beginning, one byte more than the bound. So the reader of the
/// line sees that it is too long.
///
/// With a bound of 3:
///
///     a\nb + c\nd      take: a\nbc\n      finish: d
///     abcdef + gh\ni   take: abcd\n       finish: i
public struct LineCutter: Sendable {
  private static let feed = UInt8(ascii: "\n")

  private let bound: Int
  private var buffer: [UInt8] = []
  /// Where the unfinished line begins in the buffer.
  private var begun = 0
  /// Whether the rest of the line that has begun is dropped.
  private var isDropping = false

  /// - Parameter bound: Bytes of a line at most.
  public init(bound: Int) { self.bound = bound }

  /// Bytes that wait.
  public var count: Int { buffer.count }

  public mutating func append(_ bytes: [UInt8]) {
    var rest = bytes[...]
    if isDropping {
      guard let end = rest.firstIndex(of: Self.feed) else { return }
      rest = rest[end...]
      isDropping = false
    }
    // Only what is new is looked at: a line may come byte by byte.
    if let end = rest.lastIndex(of: Self.feed) { begun = buffer.count + end - rest.startIndex + 1 }
    buffer += rest
    guard buffer.count - begun > bound else { return }
    buffer.removeLast(buffer.count - begun - bound - 1)
    isDropping = true
  }

  /// Whole lines, each with its line feed; `nil` when there is none.
  /// - Parameter maximum: Lines at most.
  public mutating func take(atMost maximum: Int) -> [UInt8]? {
    guard begun > 0 else { return nil }
    let end = buffer.withUnsafeBufferPointer { bytes in
      var end = 0
      var lines = 0
      while lines < maximum, let feed = firstLineFeed(in: bytes, end..<bytes.count) {
        end = feed + 1
        lines += 1
      }
      return end
    }
    begun -= end
    if end == buffer.count {
      defer { buffer = [] }
      return buffer
    }
    let lines = Array(buffer[..<end])
    buffer.removeSubrange(..<end)
    return lines
  }

  /// The last line, if no line feed ends it; `nil` when there is none.
  public mutating func finish() -> [UInt8]? {
    guard !buffer.isEmpty else { return nil }
    defer { (buffer, begun) = ([], 0) }
    return buffer
  }
}

/// The first line feed in a range, or nil, eight bytes at a step.
@inlinable
public func firstLineFeed(in bytes: UnsafeBufferPointer<UInt8>, _ range: Range<Int>) -> Int? {
  guard let base = bytes.baseAddress else { return nil }
  let raw = UnsafeRawPointer(base)
  var index = range.lowerBound
  while index &+ 8 <= range.upperBound {
    let word = UInt64(littleEndian: raw.loadUnaligned(fromByteOffset: index, as: UInt64.self))
    // Bytes equal to LF become zero; the classic zero-byte test finds the lowest of them.
    let matched = word ^ 0x0A0A_0A0A_0A0A_0A0A
    let zero = (matched &- 0x0101_0101_0101_0101) & ~matched & 0x8080_8080_8080_8080
    if zero != 0 { return index &+ zero.trailingZeroBitCount / 8 }
    index &+= 8
  }
  while index < range.upperBound {
    if bytes[index] == 0x0A { return index }
    index &+= 1
  }
  return nil
}
