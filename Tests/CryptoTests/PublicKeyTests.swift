import Crypto
import Testing

@Suite struct PublicKeyTests {
  /// RFC 7515, appendix A.2.
  static let rsa = PublicKey(
    rsaModulus: decoded(
      "ofgWCuLjybRlzo0tZWJjNiuSfb4p4fAkd_wWJcyQoTbji9k0l8W26mPddxHmfHQp-Vaw-4qPCJrcS2mJPMEzP1Pt0"
        + "Bm4d4QlL-yRT-SFd2lZS-pCgNMsD1W_YpRPEwOWvG6b32690r2jZ47soMZo9wGzjb_7OMg0LOL-bSf63kpaSHSX"
        + "ndS5z5rexMdbBYUsLA9e-KXBdQOS-UTo7WTBEMa2R2CapHg665xsmtdVMTBQY4uDZlxvb3qCo5ZwKh9kG4LT6_I"
        + "5IhlJH7aGhyxXFvUK-DWNmoudF8NAco9_h9iaGNj8q2ethFkMLs91kzk2PAcDTW9gb54h4FRWyuXpoQ"),
    exponent: [1, 0, 1])
  static let rsaSignature = decoded(
    "cC4hiUPoj9Eetdgtv3hF80EGrhuB__dzERat0XF9g2VtQgr9PJbu3XOiZj5RZmh7AAuHIm4Bh-0Qc_lF5YKt_O8W2Fp"
      + "5jujGbds9uJdbF9CUAr7t1dnZcAcQjbKBYNX4BAynRFdiuB--f_nZLgrnbyTyWzO75vRK5h6xBArLIARNPvkSjtQB"
      + "MHlb1L07Qe7K0GarZRmB_eSN9383LcOLn6_dO--xi12jzDwusC-eOkHWEsqtFZESc6BfI7noOPqvhJ1phCnvWh6IeY"
      + "I2w9QOYEUipUTI8np6LbgGY9Fs98rqVt5AXLIhWkWywlVmtVrBp0igcN_IoypGlUPQGe77Rw")
  /// Appendix A.3.
  static let ec = PublicKey(
    p256X: decoded("f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU"),
    y: decoded("x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"))
  static let ecSignature = decoded(
    "DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU1Q")

  private static let payload =
    "eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ"
  private static let rsaMessage = Array("eyJhbGciOiJSUzI1NiJ9.\(payload)".utf8)
  private static let ecMessage = Array("eyJhbGciOiJFUzI1NiJ9.\(payload)".utf8)

  private static func decoded(_ text: String) -> [UInt8] { Base64URL.decode(text) ?? [] }

  @Test func knownAnswers() throws {
    let (rsa, ec) = (try #require(Self.rsa), try #require(Self.ec))
    #expect(rsa.algorithm == .rs256)
    #expect(ec.algorithm == .es256)
    #expect(rsa.isValid(Self.rsaSignature, of: Self.rsaMessage))
    #expect(ec.isValid(Self.ecSignature, of: Self.ecMessage))
    #expect(!rsa.isValid(Self.rsaSignature, of: Self.ecMessage))
    #expect(!rsa.isValid(Self.ecSignature, of: Self.ecMessage))
    #expect(!ec.isValid(Self.rsaSignature, of: Self.rsaMessage))
  }

  @Test func everyByteOfASignatureCounts() throws {
    let (rsa, ec) = (try #require(Self.rsa), try #require(Self.ec))
    for (key, signature, message) in [
      (rsa, Self.rsaSignature, Self.rsaMessage), (ec, Self.ecSignature, Self.ecMessage),
    ] {
      for index in signature.indices {
        var other = signature
        other[index] ^= 1
        #expect(!key.isValid(other, of: message), "byte \(index)")
      }
      for other in [[], [0] + signature, signature + [0], Array(signature.dropLast())] {
        #expect(!key.isValid(other, of: message))
      }
      #expect(!key.isValid(signature, of: message + [0]))
      #expect(!key.isValid(signature, of: []))
      #expect(!key.isValid([UInt8](repeating: 0, count: signature.count), of: message))
    }
  }

  @Test func theTextLeadsBackToTheKey() throws {
    for key in [try #require(Self.rsa), try #require(Self.ec)] {
      #expect(key.pem.hasPrefix("-----BEGIN PUBLIC KEY-----\n"))
      #expect(key.pem.hasSuffix("\n-----END PUBLIC KEY-----\n"))
      #expect(key.pem.split(separator: "\n").allSatisfy { $0.utf8.count <= 64 })
      #expect(PublicKey(pem: key.pem) == key)
      #expect(PublicKey(pem: key.pem.replacing("\n", with: "\r\n")) == key)
      #expect(PublicKey(pem: "\n" + key.pem + "\n") == key)
      #expect(PublicKey(pem: key.pem.replacing("PUBLIC", with: "PRIVATE")) == nil)
      #expect(PublicKey(pem: key.pem + key.pem) == nil)
      #expect(PublicKey(pem: "x" + key.pem) == nil)
      #expect(PublicKey(pem: key.pem.replacing("M", with: "N")) == nil)
    }
  }

  @Test(arguments: [
    ("nothing", ""), ("no text of a key", "-----BEGIN PUBLIC KEY-----\n-----END PUBLIC KEY-----"),
    ("a certificate", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----"),
    (
      "RSA of 1024 bits",
      """
      -----BEGIN PUBLIC KEY-----
      MIGfMA0GCSqGSIb3DQEBAQUAA4GNADCBiQKBgQCqnjRIZwTMFhA0VIsA8YRJaQIG
      NYeW/QtNVAmcRhMX9kkuKOFkTn/IqTaRDUsLdzl1iRoEGTzIV7v6O7rj1pcOBFRB
      Pb2dhEinflaj3oQT/+MAocz6/BTOg63QS08uQyGQZulMuuHrMJeH/SiDvB1XgKnV
      nS1H0QGn3fREL15pqQIDAQAB
      -----END PUBLIC KEY-----
      """
    ),
    (
      "the curve P-384",
      """
      -----BEGIN PUBLIC KEY-----
      MHYwEAYHKoZIzj0CAQYFK4EEACIDYgAEp0Dhaxix5CB2t/DHdVctKatTaDEDC2mS
      etno0Z/kwFN7GcDkeHDmWFAtQMAiVvnpOOYznpG1mEenbwC9pQBQo+wXHy9z/ePP
      dTWVhGBkJT3l6Q4Ah3q2tDmTIbLOzMPI
      -----END PUBLIC KEY-----
      """
    ),
    (
      "the curve secp256k1",
      """
      -----BEGIN PUBLIC KEY-----
      MFYwEAYHKoZIzj0CAQYFK4EEAAoDQgAE6DtG2ZIncWFjO7Q9gdwxRC3u2pObaVrV
      aHm44XNvhKIsEpdJTaMkReSShvHN9cEC6rBb545IsLG5kLg8yIu/DQ==
      -----END PUBLIC KEY-----
      """
    ),
    (
      "Ed25519",
      """
      -----BEGIN PUBLIC KEY-----
      MCowBQYDK2VwAyEAzqSX3nflXTyo7Cicebc0dQ+pOHC25JE6uEuLUO9E1uo=
      -----END PUBLIC KEY-----
      """
    ),
    (
      "RSA for PSS alone",
      """
      -----BEGIN PUBLIC KEY-----
      MIIBIDALBgkqhkiG9w0BAQoDggEPADCCAQoCggEBAJ+1DLUw6QjTFx+rUOw6Djdo
      eSuIMDcLkLkw9bZX0DFk/uaaEdWDfRu7HYqZJPl9zMLFI1iWw7gW9ppfaef6eJDp
      y9ZbTSVyw8kcoWXIfO24UbAh3v78DGFpncAeftqB5QV+M83z0XXlEMHdb2X4ncRt
      Modd+ORJ767R24brZX7YIZgVprD9jhSpNZPrGnn9f+yvS4t6KAyPaKMb37ltAyXH
      Mp7tPZm5hCMO8S97X3NW8E2A+27RlXV7B4YEnSilEPXx437+o8JdPflUgvSYZUfo
      JrRZQGufoXRW6kmBkdd+NWgJemVNfsvI7Up5eCKRLY3GXDE6OWrkuSzB4SY/qG0C
      AwEAAQ==
      -----END PUBLIC KEY-----
      """
    ),
  ])
  func otherKeysAreRefused(name: String, pem: String) {
    #expect(PublicKey(pem: pem) == nil, "\(name)")
  }

  @Test func numbersThatAreNoKeyAreRefused() {
    let modulus = [UInt8](repeating: 0xFF, count: 256)
    for exponent in [[], [0], [1], [2], [1, 0, 0], [UInt8](repeating: 0xFF, count: 9)] as [[UInt8]]
    {
      #expect(PublicKey(rsaModulus: modulus, exponent: exponent) == nil)
    }
    #expect(PublicKey(rsaModulus: modulus, exponent: [3]) != nil)
    #expect(PublicKey(rsaModulus: Array(modulus.dropLast()), exponent: [3]) == nil)
    #expect(PublicKey(rsaModulus: [0, 0] + modulus, exponent: [3]) != nil)
    #expect(PublicKey(rsaModulus: modulus + modulus + modulus + modulus, exponent: [3]) != nil)
    #expect(
      PublicKey(rsaModulus: modulus + modulus + modulus + modulus + [1], exponent: [3]) == nil)
    // A point that is not on the curve, and coordinates of another length.
    let (one, zero) = ([UInt8](repeating: 1, count: 32), [UInt8](repeating: 0, count: 32))
    #expect(PublicKey(p256X: one, y: one) == nil)
    #expect(PublicKey(p256X: zero, y: zero) == nil)
    #expect(PublicKey(p256X: [], y: []) == nil)
    #expect(PublicKey(p256X: one + [1], y: Array(one.dropLast())) == nil)
  }
}
