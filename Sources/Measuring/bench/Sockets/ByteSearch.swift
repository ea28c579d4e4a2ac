internal import Glibc

extension UnsafeRawBufferPointer {
  /// Where a text begins.
  func position(of text: StaticString, from start: Int = 0) -> Int? {
    let first = Int32(text.utf8Start[0])
    let length = text.utf8CodeUnitCount
    guard let base = baseAddress else { return nil }
    var place = start
    while place + length <= count {
      guard let found = memchr(base + place, first, count - length - place + 1) else { return nil }
      place = UnsafeRawPointer(found) - base
      if memcmp(found, text.utf8Start, length) == 0 { return place }
      place += 1
    }
    return nil
  }

  /// The number in decimal digits that begins here, after spaces.
  func number(at start: Int) -> Int {
    var value = 0
    for byte in self[start...] {
      if byte == UInt8(ascii: " "), value == 0 { continue }
      guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { break }
      value = value &* 10 &+ Int(byte &- UInt8(ascii: "0"))
    }
    return value
  }

  /// How many bytes the HTTP message has that begins here: head and body. `nil` while the head is
  /// not complete. Only what the bench's clients and servers send is understood.
  var messageLength: Int? {
    guard let end = position(of: "\r\n\r\n") else { return nil }
    let head = UnsafeRawBufferPointer(rebasing: self[..<end])
    let name =
      head.position(of: "\r\nContent-Length:") ?? head.position(of: "\r\ncontent-length:")
    return end + 4 + (name.map { head.number(at: $0 + 17) } ?? 0)
  }
}
