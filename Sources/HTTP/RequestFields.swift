internal import ASCII

extension RequestHead {
  /// The credentials of `Authorization: Bearer …`, the scheme in any case (RFC 9110 section 11.4);
  /// nil with another scheme, and without the field.
  public var bearerCredentials: String? {
    guard let field = header("authorization") else { return nil }
    var scanner = FieldScanner(field.utf8)
    guard scanner.token()?.lowercased() == "bearer", scanner.take(" ") else { return nil }
    scanner.skipBlanks()
    return String(decoding: scanner.text { _ in false }, as: UTF8.self)
  }

  /// Whether the answer may be compressed by gzip (RFC 9110 section 12.5.3).
  ///
  ///     br, GZIP; q=0.5     yes        gzip;q=0, *     no        *     no: it names none
  public func acceptsGzip(limits: HTTPLimits = .standard) -> Bool {
    guard let field = header("accept-encoding") else { return false }
    var scanner = FieldScanner(field.utf8)
    return scanner.list(atMost: limits.acceptElements) { scanner -> Bool? in
      guard scanner.token()?.lowercased() == "gzip",
        let parameters = scanner.parameters(atMost: limits.mediaTypeParameters)
      else { return nil }
      let quality = parameters.first { $0.name == "q" }?.value
      return fieldWeight(quality.map { String(decoding: $0, as: UTF8.self) }) ?? 0 > 0
    }.contains(true)
  }
}

/// A `qvalue` in thousandths: `0`, `1`, `0.5`, `1.000` (RFC 9110 section 12.4.2); 1 unless given,
/// nil when it is malformed.
func fieldWeight(_ text: String?) -> Int? {
  guard let text else { return 1_000 }
  guard 1...5 ~= text.utf8.count else { return nil }
  let digits = Array(text.utf8)
  guard digits.count == 1 || digits[1] == UInt8(ascii: ".") else { return nil }
  var weight = 0
  for index in [0, 2, 3, 4] {
    let digit = index < digits.count ? digits[index] : UInt8(ascii: "0")
    guard digit.isASCIIDigit else { return nil }
    weight = weight * 10 + Int(digit - UInt8(ascii: "0"))
  }
  return weight <= 1_000 ? weight : nil
}
