/// Lines that wait to be written, with their separators.
struct LineBuffer {
  private(set) var bytes: [UInt8] = []
  /// `\n` after each line, or a comma before each but the first.
  let isArray: Bool
  private var isFirst = true

  init(isArray: Bool) { self.isArray = isArray }

  mutating func add(_ write: (inout [UInt8]) -> Void) {
    if isArray, !isFirst { bytes.append(UInt8(ascii: ",")) }
    isFirst = false
    write(&bytes)
    if !isArray { bytes.append(UInt8(ascii: "\n")) }
  }

  /// Adds a line if `write` says that it wrote one, and returns whether it did.
  @discardableResult
  mutating func addIfAny(_ write: (inout [UInt8]) -> Bool) -> Bool {
    let count = bytes.count
    if isArray, !isFirst { bytes.append(UInt8(ascii: ",")) }
    guard write(&bytes) else {
      bytes.removeLast(bytes.count - count)
      return false
    }
    isFirst = false
    if !isArray { bytes.append(UInt8(ascii: "\n")) }
    return true
  }

  /// Returns the bytes that wait, and empties the buffer.
  mutating func take() -> [UInt8] {
    defer { bytes.removeAll(keepingCapacity: true) }
    return bytes
  }
}
