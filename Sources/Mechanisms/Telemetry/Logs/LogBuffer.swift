/// Log lines that wait to be written, at most so many bytes, and the number of lines that found no
/// room.
///
///     limit 4    add "aa\n", "bb\n", "cc\n"    takes "aa\n", drops 2
///                takeAll                       "aa\n", and a line that tells of 2
///                add "dd\n"                    takes it: there is room again
///
/// Once a line was dropped, so are all behind it until the buffer is taken: the line that tells of
/// them stands where they are missing.
struct LogBuffer {
  private let limit: Int
  private var waiting: [UInt8] = []
  /// Lines that were dropped and are not told of yet.
  private var untold = 0

  init(limit: Int) { self.limit = limit }

  var isEmpty: Bool { waiting.isEmpty && untold == 0 }

  /// Takes whole lines.
  /// - Returns: How many of them are dropped: all or none.
  mutating func add(_ lines: [UInt8]) -> Int {
    if untold == 0, waiting.count + lines.count <= limit {
      waiting += lines
      return 0
    }
    let dropped = lines.count { $0 == UInt8(ascii: "\n") }
    untold += dropped
    return dropped
  }

  /// Gives away all that waits.
  /// - Parameter tell: Makes the line that tells how many were dropped behind the others.
  mutating func takeAll(telling tell: (Int) -> [UInt8]) -> [UInt8] {
    var lines: [UInt8] = []
    swap(&lines, &waiting)
    if untold > 0 { lines += tell(untold) }
    untold = 0
    return lines
  }
}
