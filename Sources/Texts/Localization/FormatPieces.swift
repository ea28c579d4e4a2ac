import ASCII

/// Walks a text with placeholders piece by piece, on its UTF-8 bytes.
///
/// The rules are those of the small formatter in the device's UserNotifications framework
/// (observed), not those of `String(format:)`:
///
///     "%@"    → .next              "%2$@"  → .position(2)
///     "%%"    → .verbatim("%")     "%d"    → .dropped("%d")
///     "%5d"   → .dropped("%5"), .verbatim("d")
///     "%1$d"  → .dropped("%1"), .verbatim("$d")
///     "%ld"   → .dropped("%l"), .verbatim("d")
struct FormatPieces: Sequence, IteratorProtocol {
  enum Piece: Equatable {
    /// Bytes to copy.
    case verbatim(Range<Int>)
    /// `%@`: the next argument.
    case next
    /// `%N$@`: argument N, counted from 1.
    case position(Int)
    /// Bytes that vanish.
    case dropped(Range<Int>)
  }

  private let bytes: ArraySlice<UInt8>
  private var index: Int

  init(_ bytes: [UInt8]) {
    self.bytes = bytes[...]
    self.index = 0
  }

  mutating func next() -> Piece? {
    guard index < bytes.endIndex else { return nil }
    let start = index
    guard bytes[start] == UInt8(ascii: "%") else {
      index = bytes[start...].firstIndex(of: UInt8(ascii: "%")) ?? bytes.endIndex
      return .verbatim(start..<index)
    }
    index += 1
    guard index < bytes.endIndex else { return .dropped(start..<index) }
    switch bytes[index] {
    case UInt8(ascii: "@"):
      index += 1
      return .next
    case UInt8(ascii: "%"):
      index += 1
      return .verbatim(start + 1..<index)
    case let byte where byte.isASCIIDigit:
      return positional(start: start)
    default:
      index += Self.scalarLength(bytes[index])
      index = Swift.min(index, bytes.endIndex)
      return .dropped(start..<index)
    }
  }

  private mutating func positional(start: Int) -> Piece {
    var number = 0
    while index < bytes.endIndex, bytes[index].isASCIIDigit {
      // Saturates: beyond the bound no argument can exist, and no number may overflow.
      number = Swift.min(
        number * 10 + Int(bytes[index] - UInt8(ascii: "0")), Limits.argumentPosition + 1)
      index += 1
    }
    guard index + 1 < bytes.endIndex, bytes[index] == UInt8(ascii: "$") else {
      return .dropped(start..<index)
    }
    if bytes[index + 1] == UInt8(ascii: "@") {
      index += 2
      return .position(number)
    }
    return .dropped(start..<index)
  }

  private static func scalarLength(_ lead: UInt8) -> Int {
    switch lead {
    case 0xF0...: 4
    case 0xE0...: 3
    case 0xC0...: 2
    default: 1
    }
  }
}
