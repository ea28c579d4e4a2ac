/// A text with the names of parameters in braces.
///
/// `order-{order}` with order = A17 → `order-A17`; `{{order}` → `{order}`. A brace that opens no
/// name stays as it is: `{"a": 1}` is a text without placeholders. A name is a letter or `_`, then
/// letters, digits and `_`.
public struct Template: Sendable, Hashable {
  enum Piece: Sendable, Hashable {
    case text(String)
    case parameter(String)
  }

  let pieces: [Piece]

  /// Takes a text apart; every text is a template.
  public init(_ text: String) {
    var pieces: [Piece] = []
    var plain = ""
    var rest = text[...]
    while let brace = rest.firstIndex(of: "{") {
      plain += rest[..<brace]
      rest = rest[rest.index(after: brace)...]
      if rest.first == "{" {
        plain += "{"
        rest = rest.dropFirst()
      } else if let end = rest.utf8.firstIndex(where: { !Self.isNameByte($0) }),
        rest.utf8[end] == UInt8(ascii: "}"), Self.isName(rest[..<end])
      {
        if !plain.isEmpty { pieces.append(.text(plain)) }
        plain = ""
        pieces.append(.parameter(String(rest[..<end])))
        rest = rest[rest.utf8.index(after: end)...]
      } else {
        plain += "{"
      }
    }
    plain += rest
    if !plain.isEmpty { pieces.append(.text(plain)) }
    self.pieces = pieces
  }

  init(verbatim text: String) {
    pieces = text.isEmpty ? [] : [.text(text)]
  }

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
  static func isName(_ text: some StringProtocol) -> Bool {
    guard let first = text.utf8.first, !(UInt8(ascii: "0")...UInt8(ascii: "9")).contains(first)
    else { return false }
    return text.utf8.allSatisfy(isNameByte)
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
