/// A text of HTML that grows. Whatever is not an element is escaped, and every element ends, so
/// the text is also well-formed XML.
struct HTMLText {
  /// What is written so far, in UTF-8.
  private(set) var bytes: [UInt8] = Array("<!DOCTYPE html>\n".utf8)

  /// An element with content; one that HTML knows to be empty when there is none to write.
  /// - Parameter attributes: Names and values; one without a value is left out.
  mutating func element(
    _ name: String, _ attributes: KeyValuePairs<String, String?> = [:],
    _ content: (inout HTMLText) throws -> Void
  ) rethrows {
    open(name, attributes)
    bytes.append(UInt8(ascii: ">"))
    try content(&self)
    bytes += "</\(name)>".utf8
    if Self.blocks.contains(name) { bytes.append(UInt8(ascii: "\n")) }
  }

  /// An element of one text.
  mutating func element(
    _ name: String, _ attributes: KeyValuePairs<String, String?> = [:], text: String
  ) {
    element(name, attributes) { $0.text(text) }
  }

  /// An element that never has content, such as `img`.
  mutating func void(_ name: String, _ attributes: KeyValuePairs<String, String?>) {
    open(name, attributes)
    bytes += "/>".utf8
  }

  /// A link to a place of this page, as code.
  mutating func codeLink(to place: String, _ text: String) {
    element("a", ["href": "#\(place)"]) { $0.element("code", text: text) }
  }

  /// A text as it is read.
  mutating func text(_ text: String) {
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "<"): bytes += "&lt;".utf8
      case UInt8(ascii: ">"): bytes += "&gt;".utf8
      case UInt8(ascii: "&"): bytes += "&amp;".utf8
      case UInt8(ascii: "\""): bytes += "&quot;".utf8
      default: bytes.append(byte)
      }
    }
  }

  private mutating func open(_ name: String, _ attributes: KeyValuePairs<String, String?>) {
    bytes += "<\(name)".utf8
    for (name, value) in attributes {
      guard let value else { continue }
      bytes += " \(name)=\"".utf8
      text(value)
      bytes.append(UInt8(ascii: "\""))
    }
  }

  /// Elements that end their line, so that the source can be read, too.
  private static let blocks: Set = [
    "head", "title", "header", "nav", "main", "section", "article", "h1", "h2", "h3", "h4", "p",
    "ul", "li", "dl", "dt", "dd", "div", "table", "tr", "details", "summary", "pre", "body",
  ]
}
