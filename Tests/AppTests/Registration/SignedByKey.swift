import AppTesting

/// Users as issuers with a pair of keys sign them: `u42`, of the apps `food`, `signed-inprocess`,
/// and `signed-socket`. Of the pairs only the public keys are left.
struct SignedByKey {
  /// The key's JWK.
  var jwk: JSON
  /// The same key as PEM.
  var pem: String
  var algorithm: String
  var token: String

  private static let claims =
    "eyJzdWIiOiJ1NDIiLCJhdWQiOlsiZm9vZCIsInNpZ25lZC1pbnByb2Nlc3MiLCJzaWduZWQtc29ja2V0Il0sImV4cC"
    + "I6OTk5OTk5OTk5OX0"

  static let es256 = Self(
    jwk: [
      "kty": "EC", "crv": "P-256", "use": "sig", "kid": "1",
      "x": "5fviC_rVBAQ-osmhPzvAzuSbD9XjQOHTvfnD_UxuDeY",
      "y": "6TbII_cgODKJ5sdSn88YMJDGC7qjN4vouqJb4iAchlQ",
    ],
    pem: """
      -----BEGIN PUBLIC KEY-----
      MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE5fviC/rVBAQ+osmhPzvAzuSbD9Xj
      QOHTvfnD/UxuDebpNsgj9yA4Monmx1KfzxgwkMYLuqM3i+i6olviIByGVA==
      -----END PUBLIC KEY-----

      """,
    algorithm: "ES256",
    token: "eyJhbGciOiJFUzI1NiJ9." + claims
      + ".j-f_trmJwyM6DkxysX92W2kePi6i_xirVcQGieazGVl3rKsAYftaW_LUZzgmclTscnyMDajGrSmAOraefd8YgA")

  static let rs256 = Self(
    jwk: ["kty": "RSA", "alg": "RS256", "n": .string(modulus), "e": "AQAB"],
    pem: """
      -----BEGIN PUBLIC KEY-----
      MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEA4TfSJ4/URPbAY26kqVRZ
      VZq1Km5uUcLb4CWO/Md6uMnlS6R6EVV2T9bvqTr+vwGfJvxkdH926WXHAmySX8Th
      FGj3HVixvPh4XFp1EntkTMvYGLA8oxiajNb5CcPB75zBUZFF5WB//j2Ds9G1OM+O
      l7zkehowL9cyryDWxEp6mZCPAjYo3mMOqHl2qFcyTr/gHLBzCEqQn7xDSU12UhEE
      DIA/u7YEsnFpWy8Oj4ul2FSH1MEFQ26p1IW57whD9YWICveVqQOFAnklDVMCKnuM
      J70gBOOxAC7Rj9HtMQon0zYmEjqEo4XfsmmGBZLrTs6e2WQm31ZxPhwj5e5N/LK4
      bwIDAQAB
      -----END PUBLIC KEY-----

      """,
    algorithm: "RS256", token: "eyJhbGciOiJSUzI1NiJ9." + claims + "." + signature)

  private static let modulus =
    "4TfSJ4_URPbAY26kqVRZVZq1Km5uUcLb4CWO_Md6uMnlS6R6EVV2T9bvqTr-vwGfJvxkdH926WXHAmySX8Th"
    + "FGj3HVixvPh4XFp1EntkTMvYGLA8oxiajNb5CcPB75zBUZFF5WB__j2Ds9G1OM-Ol7zkehowL9cyryDWxEp6"
    + "mZCPAjYo3mMOqHl2qFcyTr_gHLBzCEqQn7xDSU12UhEEDIA_u7YEsnFpWy8Oj4ul2FSH1MEFQ26p1IW57whD"
    + "9YWICveVqQOFAnklDVMCKnuMJ70gBOOxAC7Rj9HtMQon0zYmEjqEo4XfsmmGBZLrTs6e2WQm31ZxPhwj5e5N"
    + "_LK4bw"
  private static let signature =
    "MmqVeKYFboFO8zDizZrzXowal6HpM_4uLJf0db1vjkMU15hWqNQXjX60VDi73BneAf9MEFU58QxP8QmxQdLH"
    + "yTmLgnG89kbaEBJLn7nijhVn0ZMhzL2sVf59E2_DmrDmB5cj4-vykjeXFWo-W7vfMWvr7ZuXobyuL2A6jnB1"
    + "8DG87OlnUs-TO17pd2pr4fomZBMQT3suzCiwPwE1eUL7QDFx_xa7CRvar8jH9K6MRdHftvxFyp0w9qMQcx-_"
    + "KbtAcGrMfEhfHrW_kGRwq5QJQuxjuWGtSg0pV8AatAbuBI7ffcuPkMRYCHd9kP4Hc6wGn0_LON_bkiQoeiEU"
    + "Rmvtrg"

  static let all = [es256, rs256]
}
