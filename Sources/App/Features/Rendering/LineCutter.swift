internal import Glibc

/// Whole lines out of bytes, however they are cut. Of a line that is longer than the bound the
/// beginning is kept, one byte more than the bound, so that its reader sees that it is too long.
///
/// With a bound of 3:
///
///     a\nb + c\nd      take: a\nbc\n      finish: d
///     abcdef + gh\ni   take: abcd\n       finish: i
struct LineCutter {
  private static let feed = UInt8(ascii: "\n")

  private let bound: Int
  private var buffer: [UInt8] = []
  /// Where the line begins in the buffer that nothing has ended yet.
  private var begun = 0
  /// Whether the rest of the line that has begun is dropped.
  private var isDropping = false

  /// - Parameter bound: Bytes of a line at most.
  init(bound: Int) { self.bound = bound }

  /// Bytes that wait.
  var count: Int { buffer.count }

  /// Takes bytes as they came.
  mutating func append(_ bytes: [UInt8]) {
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
  mutating func take(atMost maximum: Int) -> [UInt8]? {
    guard begun > 0 else { return nil }
    let end = buffer.withUnsafeBytes { bytes in
      var end = 0
      var lines = 0
      while lines < maximum, let start = bytes.baseAddress,
        let found = memchr(start + end, Int32(Self.feed), bytes.count - end)
      {
        end = UnsafeRawPointer(found) - start + 1
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

  /// The last line, which nothing ends; `nil` when there is none.
  mutating func finish() -> [UInt8]? {
    guard !buffer.isEmpty else { return nil }
    defer { (buffer, begun) = ([], 0) }
    return buffer
  }
}
