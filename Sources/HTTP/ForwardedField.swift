/// The header in which proxies write for whom they call.
public enum ForwardedField: String, Sendable, CaseIterable {
  /// `X-Forwarded-For: 192.0.2.60, 10.0.0.7`, what nginx and haproxy write.
  case forwardedFor = "x-forwarded-for"
  /// `Forwarded: for=192.0.2.60;proto=https, for="[2001:db8::7]:4711"` (RFC 7239).
  case forwarded

  /// The addresses that a request names, without ports, the nearest last. What a client has written
  /// stands first, and may be anything.
  public func addresses(_ head: RequestHead) -> [Substring] {
    switch self {
    case .forwardedFor:
      (head.header("x-forwarded-for") ?? "").split(separator: ",").map(Self.address)
    case .forwarded:
      (head.header("forwarded") ?? "").split(separator: ",").map { element in
        let pair = element.split(separator: ";").first {
          $0.drop { $0 == " " }.prefix(4).lowercased() == "for="
        }
        return Self.address(pair?.drop { $0 == " " }.dropFirst(4) ?? "")
      }
    }
  }

  /// The address of a node: `192.0.2.60:80`, `"[2001:db8::7]:4711"`, `2001:db8::7`.
  private static func address(_ node: Substring) -> Substring {
    let isAround: (Character) -> Bool = { $0 == " " || $0 == "\t" || $0 == "\"" }
    var text = node.drop(while: isAround)
    while let last = text.last, isAround(last) { text.removeLast() }
    if text.first == "[" { return text.dropFirst().prefix { $0 != "]" } }
    let colon = text.firstIndex(of: ":")
    return if let colon, colon == text.lastIndex(of: ":") { text[..<colon] } else { text }
  }
}
