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
}
