import ASCII
import JSON

/// A text with the names of parameters in braces.
///
/// `order-{order}` with order = A17 → `order-A17`; `{{order}}` → `{order}`. A name is a letter or
/// `_`, then letters, digits and `_`. A brace that opens no name is a fault of the message, see
/// ``faults(in:declared:)``, and stays as it is. A closing brace alone is an ordinary character.
public struct Template: Sendable, Hashable {
  enum Piece: Sendable, Hashable {
    case text(String)
    case parameter(String)
  }

  let pieces: [Piece]

  /// Takes a text apart; every text is a template.
  public init(_ text: String) { pieces = Self.parse(text) { _, _ in } }

  /// Whether it has no parameters, and a text stays as it is.
  func isVerbatim(_ text: String) -> Bool {
    pieces.allSatisfy {
      if case .text(let plain) = $0 { plain.isSpelled(like: text) } else { false }
    }
  }

  /// Takes a text apart, and tells where braces open, in bytes, and the name that follows, if any.
  ///
  /// It goes by bytes: a brace before a combining character is a brace all the same, while Swift
  /// takes both for one character.
  private static func parse(_ text: String, opening: (Int, String?) -> Void) -> [Piece] {
    let (open, close) = (UInt8(ascii: "{"), UInt8(ascii: "}"))
    let bytes = Array(text.utf8)
    var pieces: [Piece] = []
    var plain: [UInt8] = []
    func decoded(_ bytes: some Collection<UInt8>) -> String {
      String(decoding: bytes, as: UTF8.self)
    }
    var index = 0
    while index < bytes.count {
      let byte = bytes[index]
      let next = index + 1
      if byte == open || byte == close, next < bytes.count, bytes[next] == byte {
        plain.append(byte)
        index += 2
        continue
      }
      guard byte == open else {
        plain.append(byte)
        index = next
        continue
      }
      let end = bytes[next...].firstIndex { !isNameByte($0) } ?? bytes.count
      if end < bytes.count, bytes[end] == close, isName(bytes[next..<end]) {
        let name = decoded(bytes[next..<end])
        if !plain.isEmpty { pieces.append(.text(decoded(plain))) }
        plain = []
        pieces.append(.parameter(name))
        opening(index, name)
        index = end + 1
      } else {
        opening(index, nil)
        plain.append(byte)
        index = next
      }
    }
    if !plain.isEmpty { pieces.append(.text(decoded(plain))) }
    return pieces
  }

  /// The braces of a text that open none of these parameters: nobody is meant to read them.
  ///
  /// - Returns: where each stands, and a sentence for the author of the message.
  static func faults(
    in text: String, declared: some Collection<String>
  ) -> [(place: TextPosition, detail: String)] {
    var faults: [(TextPosition, String)] = []
    _ = parse(text) { byte, name in
      if let name, declared.contains(name) { return }
      let place = TextPosition(of: byte, in: Array(text.utf8))
      let what =
        name.map { "`\($0)` in braces is not among the message's parameters" }
        ?? "this brace opens no parameter: a name has letters, digits and `_`"
      faults.append(
        (place, "In line \(place.line), column \(place.column), \(what). Write `{{` for a brace."))
    }
    return faults
  }

  /// The parameter that the whole text is; nil for a text of anything else.
  var onlyName: String? {
    if pieces.count == 1, case .parameter(let name) = pieces[0] { name } else { nil }
  }

  /// The text, when it names no parameter.
  public var constant: String? { names.isEmpty ? filled { _ in nil } : nil }

  /// The parameters it names.
  public var names: [String] {
    pieces.compactMap { if case .parameter(let name) = $0 { name } else { nil } }
  }

  /// The text with each name replaced; a name that `value` does not know leaves nothing.
  ///
  /// It ends where it is longer than ``MessageLimits/filledBytes``: a text that repeats a long
  /// argument would have millions of bytes.
  public func filled(_ value: (String) -> String?) -> String {
    if case .text(let text)? = pieces.first, pieces.count == 1 { return text }
    var text = ""
    for piece in pieces where text.utf8.count <= MessageLimits.filledBytes {
      switch piece {
      case .text(let plain): text += plain
      case .parameter(let name): text += value(name) ?? ""
      }
    }
    return text
  }

  /// Whether a text may stand between the braces.
  static func isName(_ text: some StringProtocol) -> Bool { isName(text.utf8) }

  private static func isName(_ bytes: some Collection<UInt8>) -> Bool {
    guard let first = bytes.first, !(UInt8(ascii: "0")...UInt8(ascii: "9")).contains(first)
    else { return false }
    return bytes.allSatisfy(isNameByte)
  }

  private static func isNameByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
      true
    default: false
    }
  }
}
