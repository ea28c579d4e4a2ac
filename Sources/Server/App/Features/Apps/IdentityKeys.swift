internal import ASCII
internal import Crypto
internal import JSON

extension FieldReader {
  /// A list of public keys, each as PEM or as JWK.
  func publicKeys(_ name: String) -> Change<[PublicKey]> {
    json(name).compactMap { value in
      guard case .array(let elements) = value else {
        refuseType(name, "an array", value)
        return nil
      }
      guard elements.count <= Limits.identityKeys else {
        refuse(.tooMany, at: name, "At most \(Limits.identityKeys) keys.")
        return nil
      }
      return elements.enumerated().compactMap { index, element in
        nested(element, at: "\(pointer(to: name))/\(index)") { $0.publicKey() }
      }
    }
  }

  /// `{"algorithm": "ES256", "public_key": "-----BEGIN PUBLIC KEY-----…"}` or `{"jwk": {…}}`. The
  /// key determines the algorithm; an `algorithm` beside it must be the same.
  private func publicKey() -> PublicKey? {
    let algorithm = word("algorithm", of: PublicKey.Algorithm.self).value
    let pem = text("public_key", maximum: Limits.identityKeyBytes).compactMap { pem in
      taken(PublicKey(pem: pem), at: pointer(to: "public_key"))
    }
    let jwk = object("jwk") { $0.jsonWebKey() }
    guard has("public_key") != has("jwk") else {
      refuse(InputFault.missingField.problem(at: pointer, "Either public_key (PEM) or jwk."))
      return nil
    }
    guard let key = pem.value ?? jwk.value else { return nil }
    guard algorithm ?? key.algorithm == key.algorithm else {
      refuse(.unknownValue, at: "algorithm", "This key is for \(key.algorithm.rawValue).")
      return nil
    }
    return key
  }

  /// The public key of a JWK (RFC 7517). Other members of a JWK (`kid`, `use`, `x5c` …) do not
  /// matter. A private key is refused.
  private func jsonWebKey() -> PublicKey? {
    func text(_ name: String) -> String? {
      self.text(name, maximum: Limits.identityKeyBytes).value
    }
    func bytes(_ name: String) -> [UInt8] { text(name).flatMap(Base64URL.decode) ?? [] }
    let (type, curve, algorithm) = (text("kty"), text("crv"), text("alg"))
    var key: PublicKey?
    switch type.map(Spelling.init) {
    case "RSA": key = PublicKey(rsaModulus: bytes("n"), exponent: bytes("e"))
    case "EC" where curve?.isSpelled(like: "P-256") == true:
      key = PublicKey(p256X: bytes("x"), y: bytes("y"))
    default: break
    }
    if has("d") || algorithm ?? key?.algorithm.rawValue != key?.algorithm.rawValue { key = nil }
    ignoreUnknownFields()
    return taken(key, at: pointer)
  }

  private func taken(_ key: PublicKey?, at pointer: String) -> PublicKey? {
    if key == nil {
      let detail =
        "A public key: RSA of 2048 to 8192 bits for RS256, or of the curve P-256 for ES256; in PEM "
        + "between BEGIN PUBLIC KEY and END PUBLIC KEY, as a JWK without its private part."
      refuse(InputFault.invalidPublicKey.problem(at: pointer, detail))
    }
    return key
  }
}

/// A public key as answers show it. The settings of an app take the same form.
struct PublicKeyView: JSONWritable {
  let key: PublicKey

  func write(to writer: inout JSONWriter) {
    writer.object { writer in
      writer.member("algorithm", key.algorithm.rawValue)
      writer.member("public_key", key.pem)
    }
  }
}
