/// A file of the repository, as the rules see it.
struct SourceFile {
  /// From the repository's root, such as `Sources/Basics/HTTP/Route.swift`.
  let path: String
  let lines: [Substring]
  /// The lines with comments and the contents of string literals blanked, for rules about code.
  let code: [Substring]

  init(path: String, text: String) {
    self.path = path
    lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    let blanked = path.hasSuffix(".swift") ? blankingCommentsAndStrings(in: text) : text
    code = blanked.split(separator: "\n", omittingEmptySubsequences: false)
  }

  /// `HTTP` for `Sources/Basics/HTTP/Route.swift`, `HTTPTests` for
  /// `Tests/HTTPTests/RouteTests.swift`.
  var target: String {
    let components = path.split(separator: "/")
    let place = isSource ? 2 : 1
    return components.count > place + 1 ? String(components[place]) : ""
  }

  /// Where it lies: `Sources/Basics/HTTP`; empty for the root.
  var directory: Substring { path.lastIndex(of: "/").map { path[..<$0] } ?? "" }

  var isSwift: Bool { path.hasSuffix(".swift") }
  var isSource: Bool { path.hasPrefix("Sources/") }

  /// The name without directories and extension.
  var name: Substring {
    let file = path.split(separator: "/").last ?? ""
    return file.prefix { $0 != "." }
  }
}

/// Swift text with every comment and every string literal's content replaced by spaces. Line
/// breaks stay, so that line numbers do. What is interpolated into a string goes with it.
func blankingCommentsAndStrings(in text: String) -> String {
  var scanner = Blanker(Array(text.utf8))
  scanner.run()
  return String(decoding: scanner.blanked, as: UTF8.self)
}

private struct Blanker {
  private let bytes: [UInt8]
  private(set) var blanked: [UInt8] = []

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  mutating func run() {
    while blanked.count < bytes.count {
      if starts("//") {
        blank { $0.starts("\n") }
      } else if starts("/*") {
        blankBlockComment()
      } else if let delimiter = stringDelimiter() {
        blankString(delimiter)
      } else {
        blanked.append(bytes[blanked.count])
      }
    }
  }

  private func starts(_ text: String, at offset: Int = 0) -> Bool {
    bytes[min(blanked.count + offset, bytes.count)...].starts(with: text.utf8)
  }

  /// `"`, `"""` and the same behind any number of `#`. Three quotes begin lines of text only at the
  /// end of their own line: `#""" = ""; "#` is one line.
  private func stringDelimiter() -> (hashes: Int, quotes: Int)? {
    let hashes = bytes[blanked.count...].prefix { $0 == UInt8(ascii: "#") }.count
    if starts("\"\"\"\n", at: hashes) { return (hashes, 3) }
    return starts("\"", at: hashes) ? (hashes, 1) : nil
  }

  private mutating func blank(until isEnd: (Self) -> Bool) {
    while blanked.count < bytes.count && !isEnd(self) { blankByte() }
  }

  private mutating func blankByte() {
    let byte = bytes[blanked.count]
    blanked.append(byte == UInt8(ascii: "\n") ? byte : UInt8(ascii: " "))
  }

  private mutating func keep(_ count: Int) {
    blanked.append(contentsOf: bytes[blanked.count...].prefix(count))
  }

  private mutating func blankBlockComment() {
    var depth = 0
    repeat {
      if starts("/*") { depth += 1 }
      if starts("*/") { depth -= 1 }
      blankByte()
    } while depth > 0 && blanked.count < bytes.count
    if blanked.count < bytes.count { blankByte() }
  }

  private mutating func blankString(_ delimiter: (hashes: Int, quotes: Int)) {
    let hashes = String(repeating: "#", count: delimiter.hashes)
    let end = String(repeating: "\"", count: delimiter.quotes) + hashes
    keep(delimiter.hashes + delimiter.quotes)
    while blanked.count < bytes.count && !starts(end) {
      // An escaped character does not end the string.
      if starts("\\" + hashes) {
        for _ in 0...hashes.utf8.count { blankByte() }
      }
      if blanked.count < bytes.count { blankByte() }
    }
    keep(end.utf8.count)
  }
}
