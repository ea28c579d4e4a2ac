import AppTesting

/// Users as issuers with a pair of keys sign them: `u42`, of the apps `food`, `signed-inprocess`,
/// and `signed-socket`, until 2036. Of the pairs only the public keys are left.
struct SignedByKey {
  /// The key's JWK.
  var jwk: JSON
  /// The same key as PEM.
  var pem: String
  var algorithm: String
  var token: String

  private static let claims =
    "eyJzdWIiOiJ1NDIiLCJhdWQiOlsiZm9vZCIsInNpZ25lZC1pbnByb2Nlc3MiLCJzaWduZWQtc29ja2V0Il0sImV4cCI"
    + "6MjA5MjAwMDAwMH0"

  static let es256 = Self(
    jwk: [
      "kty": "EC", "crv": "P-256", "use": "sig", "kid": "1",
      "x": "AqwCztFsbZOdJyY47V8eQ3fgGvlg06D33FsNww7suEk",
      "y": "kCByLKTuYB6CtHZD2qxkiaA8UAcBoeXefShaLnFMDs0",
    ],
    pem: """
      -----BEGIN PUBLIC KEY-----
      MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEAqwCztFsbZOdJyY47V8eQ3fgGvlg
      06D33FsNww7suEmQIHIspO5gHoK0dkParGSJoDxQBwGh5d59KFoucUwOzQ==
      -----END PUBLIC KEY-----

      """,
    algorithm: "ES256",
    token: "eyJhbGciOiJFUzI1NiJ9." + claims
      + ".wTpWHjZ6wYTk-LodQmVThF1DubN_xPEslyQwP2OeZleOT7sIfIVTJkcfx0RhDNCYS5-8QBG1_1XUza9aWaojAQ")

  static let rs256 = Self(
    jwk: ["kty": "RSA", "alg": "RS256", "n": .string(modulus), "e": "AQAB"],
    pem: """
      -----BEGIN PUBLIC KEY-----
      MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAhyfu/IW1iEoPYuHtDytC
      9RwQA0KZp2PNJ1z/fHVrx5099I47vDheHajAm2G/pkzjf3ggTq00ljss47COI98P
      W9hq5T5lwU84YvnsioINAag44IZvXJqIbdwC1t96YHCBZQHuOU+1Wgmo1pAF93oR
      M3R8qMOlGbvNq/i9WdTcCtP91Hg8hcqBsAfmKfF6ag17uhvSEsohsQWdm8yoawy0
      0TTOVwoVRR3/N+30yi4qVJiHpgKbEWs8asu44zkQbkofulqxC/4Kacs7P8ecCg3n
      XtvdrAwF+6tVojQKvXc1hKACa/SYYyo+PL366zCFlo4Psw6nqqpiuNK26OBQqGIF
      kwIDAQAB
      -----END PUBLIC KEY-----

      """,
    algorithm: "RS256", token: "eyJhbGciOiJSUzI1NiJ9." + claims + "." + signature)

  private static let modulus =
    "hyfu_IW1iEoPYuHtDytC9RwQA0KZp2PNJ1z_fHVrx5099I47vDheHajAm2G_pkzjf3ggTq00ljss47COI98P"
    + "W9hq5T5lwU84YvnsioINAag44IZvXJqIbdwC1t96YHCBZQHuOU-1Wgmo1pAF93oRM3R8qMOlGbvNq_i9WdTc"
    + "CtP91Hg8hcqBsAfmKfF6ag17uhvSEsohsQWdm8yoawy00TTOVwoVRR3_N-30yi4qVJiHpgKbEWs8asu44zkQ"
    + "bkofulqxC_4Kacs7P8ecCg3nXtvdrAwF-6tVojQKvXc1hKACa_SYYyo-PL366zCFlo4Psw6nqqpiuNK26OBQ"
    + "qGIFkw"
  private static let signature =
    "aNE9xj6KQTydFlz4RW6OCjwY165USyECBSxqEJQSQC2MbLc_wbXepisnl9Hy8Ry3ty3nMIl2b_uTnViinwlX"
    + "DSUaK8QsGC9fLAQBYjf27-Sdmo4NStFi5HXQhXorbe1aOowm8nHpvDP0V3DpJMzESnAFEzdLDF5qox_qK9fI"
    + "vDY9BirGvg0a4_RlDqrBho711axGuV2_5mL27ujsWiHEsDJdgKtsW4H9NWqlskdiZL2QtiA_AFDMPEFUoAZU"
    + "ot3mFlZExQxECnskRn-B_UuhJEc5obARkFBWst66fS-JuLlW4-K2vA4b59w-uv4UgxaSM1IiR9gyJq8-ZL6A"
    + "OtGxKw"

  static let all = [es256, rs256]
}
