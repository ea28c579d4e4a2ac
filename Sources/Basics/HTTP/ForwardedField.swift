/// The header in which a proxy names the client that it calls for.
public enum ForwardedField: String, Sendable, CaseIterable {
  /// `X-Forwarded-For: 192.0.2.60, 10.0.0.7`, as nginx and haproxy write it.
  case forwardedFor = "x-forwarded-for"
  /// `Forwarded: for=192.0.2.60;proto=https, for="[2001:db8::7]:4711"` (RFC 7239).
  case forwarded

  /// The addresses that a request names, without ports, the nearest last. An address that a client
  /// has written stands first, and may be anything. If there are many, this has the nearest.
  public func addresses(_ head: RequestHead, limits: HTTPLimits = .standard) -> [Substring] {
    let field: String?
    switch self {
    case .forwardedFor: field = head.header("x-forwarded-for")
    case .forwarded: field = head.header("forwarded")
    }
    guard let field else { return [] }
    var scanner = FieldScanner(Self.lastElements(limits.forwardedElements, of: Array(field.utf8)))
    var nodes: [ArraySlice<UInt8>] = []
    while !scanner.isAtEnd {
      scanner.skipBlanks()
      if scanner.take(",") { continue }
      nodes.append(node(&scanner))
      _ = scanner.take(",")
    }
    return nodes.map(Self.address)
  }

  /// The last `count` elements of a field. An element ends at each comma, also behind a quotation
  /// mark that a client left open: no address has a comma.
  private static func lastElements(_ count: Int, of field: [UInt8]) -> ArraySlice<UInt8> {
    var found = 0
    var isEmpty = true
    for index in field.indices.reversed() {
      if field[index] != UInt8(ascii: ",") {
        isEmpty = isEmpty && field[index].isBlank
        continue
      }
      found += isEmpty ? 0 : 1
      if found == count { return field[(index + 1)...] }
      isEmpty = true
    }
    return field[...]
  }

  /// The node of an element, which is read up to its comma; empty when it names none.
  private func node(_ scanner: inout FieldScanner) -> ArraySlice<UInt8> {
    let isComma = { (byte: UInt8) in byte == UInt8(ascii: ",") }
    guard self == .forwarded else { return scanner.text(upTo: isComma) }
    var node: ArraySlice<UInt8>?
    repeat {
      scanner.skipBlanks()
      let name = scanner.token()
      let isAddress = scanner.take("=") && name?.lowercased() == "for"
      let value = scanner.text(upTo: Self.endsValue)
      if node == nil, isAddress { node = value }
    } while scanner.take(";")
    _ = scanner.text(upTo: isComma)
    return node ?? []
  }

  private static func endsValue(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: ",") || byte == UInt8(ascii: ";")
  }

  /// The address of a node: `192.0.2.60:80`, `"[2001:db8::7]:4711"`, `2001:db8::7`.
  private static func address(_ node: ArraySlice<UInt8>) -> Substring {
    let isAround = { (byte: UInt8) in byte.isBlank || byte == UInt8(ascii: "\"") }
    var text = node.drop(while: isAround)
    while let last = text.last, isAround(last) { text.removeLast() }
    if text.first == UInt8(ascii: "[") {
      text = text.dropFirst().prefix { $0 != UInt8(ascii: "]") }
    } else if let colon = text.firstIndex(of: UInt8(ascii: ":")),
      colon == text.lastIndex(of: UInt8(ascii: ":"))
    {
      text = text[..<colon]
    }
    return Substring(decoding: text, as: UTF8.self)
  }
}
