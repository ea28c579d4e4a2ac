internal import ASCII

/// The pairs of a query string, decoded as `application/x-www-form-urlencoded` (WHATWG URL 5.1),
/// but strict: a bad escape or bytes that are not UTF-8 are an error, not a guess.
///
///     tag=a+b&tag=c%2Bd&all     tag: "a b", "c+d"; all: ""
public struct QueryParameters: Sendable {
  /// All pairs in order.
  public let pairs: [(name: String, value: String)]
  /// Where the pairs of each name are: a caller may ask for each of many names.
  private let places: [Spelling: [Int]]

  /// The pairs of a raw query; none for nil.
  ///
  /// - Returns: nil for a bad escape, bytes that are not UTF-8, or more pairs than the limit.
  public init?(_ raw: String?, limits: HTTPLimits = .standard) {
    var raw = raw ?? ""
    let pairs: [(name: String, value: String)]? = raw.withUTF8 { bytes in
      var pairs: [(name: String, value: String)] = []
      for pair in bytes.split(separator: UInt8(ascii: "&")) {
        guard pairs.count < limits.queryPairs else { return nil }
        let equals = pair.firstIndex(of: UInt8(ascii: "=")) ?? pair.endIndex
        guard let name = Self.decoded(pair[..<equals]),
          let value = Self.decoded(pair[equals...].dropFirst())
        else { return nil }
        pairs.append((name, value))
      }
      return pairs
    }
    guard let pairs else { return nil }
    self.pairs = pairs
    places = Dictionary(grouping: pairs.indices) { Spelling(pairs[$0].name) }
  }

  /// The names, each once, in the order of their first appearance.
  public var names: [String] {
    pairs.indices.filter { places[Spelling(pairs[$0].name)]?.first == $0 }.map { pairs[$0].name }
  }

  /// All values of a name, in order.
  public func all(_ name: String) -> [String] {
    (places[Spelling(name)] ?? []).map { pairs[$0].value }
  }

  private static func decoded(_ text: Slice<Bytes>) -> String? {
    percentDecoded(Bytes(rebasing: text), plusIsSpace: true)
      .flatMap { String(validating: $0, as: UTF8.self) }
  }
}

/// Percent-decoding (RFC 3986 section 2.1), strict: `%` is followed by two hexadecimal digits.
///
///     a%2Fb   a/b        a%2   nil        caf%C3%A9   café
///
/// - Parameters:
///   - plusIsSpace: as in `application/x-www-form-urlencoded`.
///   - escapedSlash: what `%2F` becomes.
/// - Returns: nil for a bad escape.
func percentDecoded(
  _ text: Bytes, plusIsSpace: Bool = false, escapedSlash: UInt8 = UInt8(ascii: "/")
) -> [UInt8]? {
  var decoded: [UInt8] = []
  decoded.reserveCapacity(text.count)
  var index = 0
  while index < text.count {
    switch text[index] {
    case UInt8(ascii: "%"):
      guard index + 2 < text.count, let high = text[index + 1].hexDigit,
        let low = text[index + 2].hexDigit
      else { return nil }
      let byte = high << 4 | low
      decoded.append(byte == UInt8(ascii: "/") ? escapedSlash : byte)
      index += 3
    case UInt8(ascii: "+") where plusIsSpace:
      decoded.append(UInt8(ascii: " "))
      index += 1
    case let byte:
      decoded.append(byte)
      index += 1
    }
  }
  return decoded
}
