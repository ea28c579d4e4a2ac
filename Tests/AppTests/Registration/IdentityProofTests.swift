import Crypto
import Postgres
import Testing

@testable import App
@testable import Registry

/// A token as a backend makes it, with what a hostile one changes.
struct SignedUser {
  var header = #"{"alg":"HS256","typ":"JWT"}"#
  var claims = #"{"sub":"u42","aud":"food","exp":1777000600}"#
  var secret = Self.secret

  static let secret = "0123456789abcdef0123456789abcdef"
  static let otherSecret = "fedcba9876543210fedcba9876543210"

  /// Three parts; the code is of the first two as they stand.
  var text: String {
    sign(Base64URL.encode(Array(header.utf8)) + "." + Base64URL.encode(Array(claims.utf8)))
  }

  func sign(_ parts: String) -> String {
    let code = HMACSHA256.authenticationCode(of: Array(parts.utf8), key: Array(secret.utf8))
    return parts + "." + Base64URL.encode(code)
  }
}

/// Who a token proves to be logged in: no one, unless everything about it is right.
@Suite struct IdentityProofTests {
  typealias Fault = IdentityProof.Fault

  private func fault(
    _ token: String?, user: String = "u42", secrets: [String] = [SignedUser.secret],
    keys: [SignedByKey] = [], days: Int32 = Limits.identityLifetimeDays
  ) throws -> Fault? {
    let now = Timestamp(microseconds: 1_777_000_000_000_000)
    let app = AppRecord(
      id: 1, slug: try #require(AppSlug("food")), bundleID: try #require(BundleID("com.food")),
      name: "Food", developmentLanguage: "en", identityVerification: .required,
      identitySecrets: secrets, identityKeys: try keys.map { try #require(PublicKey(pem: $0.pem)) },
      identityLifetimeDays: days, localNotificationKey: "payload", messageTypeKey: nil,
      staleAfterDays: nil, createdAt: now, updatedAt: now)
    do throws(Fault) {
      try IdentityProof.check(token, of: user, for: app, at: now)
      return nil
    } catch {
      return error
    }
  }

  @Test(
    arguments: [
      ("an ordinary token", #"{"sub":"u42","aud":"food","exp":1777000600}"#, nil),
      ("an audience among others", #"{"sub":"u42","aud":["a","food"],"exp":1777000600}"#, nil),
      ("a fraction of a second", #"{"sub":"u42","aud":"food","exp":1777000000.5}"#, nil),
      ("an end within the leeway", #"{"sub":"u42","aud":"food","exp":1776999941}"#, nil),
      ("an end in ten years", #"{"sub":"u42","aud":"food","exp":2092360060}"#, nil),
      (
        "an issue within the leeway", #"{"sub":"u42","aud":"food","exp":2e9,"iat":1777000060}"#,
        nil
      ),
      ("a start that is past", #"{"sub":"u42","aud":"food","exp":2e9,"nbf":1776999999}"#, nil),
      ("claims of others", #"{"sub":"u42","aud":"food","exp":2e9,"role":{"a":[1]}}"#, nil),
      ("an escaped subject", #"{"sub":"\u007542","aud":"food","exp":2e9}"#, nil),
      ("space around", " {\n\"sub\":\"u42\",\"aud\":\"food\",\"exp\":2e9} ", nil),

      ("another subject", #"{"sub":"u43","aud":"food","exp":2e9}"#, .subject),
      ("a subject in another case", #"{"sub":"U42","aud":"food","exp":2e9}"#, .subject),
      ("no subject", #"{"aud":"food","exp":2e9}"#, .subject),
      ("a subject that is null", #"{"sub":null,"aud":"food","exp":2e9}"#, .subject),
      ("a subject that is a number", #"{"sub":42,"aud":"food","exp":2e9}"#, .subject),
      ("a list of subjects", #"{"sub":["u42"],"aud":"food","exp":2e9}"#, .subject),

      ("another audience", #"{"sub":"u42","aud":"drink","exp":2e9}"#, .audience),
      ("no audience", #"{"sub":"u42","exp":2e9}"#, .audience),
      ("an audience that is null", #"{"sub":"u42","aud":null,"exp":2e9}"#, .audience),
      ("an audience of no one", #"{"sub":"u42","aud":[],"exp":2e9}"#, .audience),
      ("an audience within a list", #"{"sub":"u42","aud":[["food"]],"exp":2e9}"#, .audience),
      ("a part of the audience", #"{"sub":"u42","aud":"foo","exp":2e9}"#, .audience),
      ("an object of audiences", #"{"sub":"u42","aud":{"food":true},"exp":2e9}"#, .audience),

      ("past its end and the leeway", #"{"sub":"u42","aud":"food","exp":1776999940}"#, .expired),
      ("no end", #"{"sub":"u42","aud":"food"}"#, .expired),
      ("an end that is null", #"{"sub":"u42","aud":"food","exp":null}"#, .expired),
      ("an end that is a text", #"{"sub":"u42","aud":"food","exp":"1777000600"}"#, .expired),
      ("an end before the epoch", #"{"sub":"u42","aud":"food","exp":-1e300}"#, .expired),

      ("an end beyond ten years", #"{"sub":"u42","aud":"food","exp":2092360061}"#, .lifetime),
      ("an end that never comes", #"{"sub":"u42","aud":"food","exp":1e300}"#, .lifetime),
      ("an end in milliseconds", #"{"sub":"u42","aud":"food","exp":1777000600000}"#, .lifetime),
      (
        "an end beyond all integers", #"{"sub":"u42","aud":"food","exp":18446744073709551616}"#,
        .lifetime
      ),

      ("issued ahead", #"{"sub":"u42","aud":"food","exp":2e9,"iat":1777000061}"#, .premature),
      ("valid later", #"{"sub":"u42","aud":"food","exp":2e9,"nbf":1777000061}"#, .premature),
      ("a start that is a text", #"{"sub":"u42","aud":"food","exp":2e9,"nbf":"0"}"#, .premature),
      ("an issue that is null", #"{"sub":"u42","aud":"food","exp":2e9,"iat":null}"#, .premature),

      ("a claim twice", #"{"sub":"u43","sub":"u42","aud":"food","exp":2e9}"#, .malformed),
      (
        "a claim twice, once escaped", #"{"sub":"u42","\u0073ub":"u43","aud":"food","exp":2e9}"#,
        .malformed
      ),
      ("a number beyond all", #"{"sub":"u42","aud":"food","exp":1e400}"#, .malformed),
      ("a trailing comma", #"{"sub":"u42","aud":"food","exp":2e9,}"#, .malformed),
      ("something behind", #"{"sub":"u42","aud":"food","exp":2e9}{}"#, .malformed),
      ("a list", #"[{"sub":"u42","aud":"food","exp":2e9}]"#, .malformed),
      ("a text", #""u42""#, .malformed), ("nothing", "", .malformed),
      ("claims that are a token", SignedUser().text, .malformed),
      (
        "more values than anyone needs",
        #"{"sub":"u42","aud":["food","# + String(repeating: "1,", count: 300) + #"1],"exp":2e9}"#,
        .malformed
      ),
      (
        "deeper than any stack",
        #"{"sub":"u42","aud":"food","exp":2e9,"x":"#
          + String(repeating: "[", count: 1200) + String(repeating: "]", count: 1200) + "}",
        .malformed
      ),
    ] as [(String, String, Fault?)])
  func claimsDecideWhetherAProofIsBelieved(name: String, claims: String, expected: Fault?) throws {
    #expect(try fault(SignedUser(claims: claims).text) == expected, "\(name)")
  }

  /// Within the days of the app, from now and from when it was made.
  @Test(
    arguments: [
      (30, #""exp":1779592060"#, nil), (30, #""exp":1779592061"#, .lifetime),
      (1, #""exp":1777086460"#, nil), (1, #""exp":1777086461"#, .lifetime),
      (30, #""exp":1779592060,"iat":1777000000"#, nil),
      (30, #""exp":1777000600,"iat":1774408540"#, nil),
      (30, #""exp":1777000600,"iat":1774408539"#, .lifetime),
      (30, #""exp":1777000600,"iat":0"#, .lifetime),
      (30, #""exp":1777000600,"iat":-1e300"#, .lifetime),
      (31, #""exp":1777000600,"iat":1774408539"#, nil),
      // When it may be used first says nothing of its age.
      (30, #""exp":1777000600,"nbf":0"#, nil),
    ] as [(Int32, String, Fault?)])
  func anAppSaysHowLongAProofMayLast(days: Int32, times: String, expected: Fault?) throws {
    let token = SignedUser(claims: #"{"sub":"u42","aud":"food",\#(times)}"#).text
    #expect(try fault(token, days: days) == expected)
  }

  @Test(
    arguments: [
      (#"{"alg":"HS256"}"#, nil), (#"{"typ":"at+jwt","alg":"HS256","kid":"1"}"#, nil),
      (#"{"alg":"none"}"#, .algorithm), (#"{"alg":"None"}"#, .algorithm),
      (#"{"alg":"hs256"}"#, .algorithm), (#"{"alg":"HS256 "}"#, .algorithm),
      (#"{"alg":"HS384"}"#, .algorithm), (#"{"alg":"HS512"}"#, .algorithm),
      (#"{"alg":"RS256"}"#, .algorithm), (#"{"alg":"ES256"}"#, .algorithm),
      (#"{"alg":null}"#, .algorithm), (#"{"alg":["HS256"]}"#, .algorithm),
      (#"{"ALG":"HS256"}"#, .algorithm), (#"{"alg":""}"#, .algorithm), ("{}", .algorithm),
      (#"{"alg":"none","alg":"HS256"}"#, .malformed),
      (#"{"alg":"HS256","alg":"HS256"}"#, .malformed),
      (#"{"alg":"HS256","crit":["exp"],"exp":1}"#, .malformed),
      (#"{"alg":"HS256","crit":[]}"#, .malformed), (#"{"alg":"HS256","crit":null}"#, .malformed),
      (#"{"alg":"HS256","crit":["b64"],"b64":false}"#, .malformed),
      ("HS256", .malformed), ("[]", .malformed), ("", .malformed), ("\u{FEFF}{}", .malformed),
    ] as [(String, Fault?)])
  func headersDecideWhetherAProofIsBelieved(header: String, expected: Fault?) throws {
    #expect(try fault(SignedUser(header: header).text) == expected)
    if let expected {
      // Whatever the header says, no code is no proof.
      let parts = SignedUser(header: header).text.split(
        separator: ".", omittingEmptySubsequences: false)
      #expect(try fault("\(parts[0]).\(parts[1]).") == expected)
    }
  }

  @Test func theFormIsExact() throws {
    let good = SignedUser().text
    let parts = good.split(separator: ".").map(String.init)
    let (header, claims, code) = (parts[0], parts[1], parts[2])
    for wrong in [
      "", ".", "..", "...", "a", good + ".", "." + good, good + ".x", "\(header).\(claims)",
      good + "=", "\(header)=.\(claims).\(code)", " " + good,
      SignedUser().sign("\(header).\(claims)=="), SignedUser().sign("\(header).\(claims) "),
      good + "\n", good + "\0", "\(header).\(claims).+\(code.dropFirst())", "é.é.é",
      "ﬁ.\(claims).\(code)",
      String(repeating: "A", count: 4096), String(repeating: ".", count: 4096),
      // The last digit of 32 bytes has two unused bits, which are zero.
      String(good.dropLast()) + "9",
    ] {
      #expect(try fault(wrong) == .malformed, "\(wrong.prefix(200))")
    }
    for wrong in ["\(header).\(claims).", "\(header).\(claims).AAAA", "\(header)..\(code)"] {
      #expect(try fault(wrong) == .signature, "\(wrong)")
    }
    #expect(try fault(nil) == .unproven)
    #expect(try fault(good, secrets: []) == .unproven)
    #expect(try fault(good) == nil)
  }

  @Test func everyBitCounts() throws {
    let good = Array(SignedUser().text.utf8)
    for index in good.indices {
      for bit in 0..<7 {
        var bytes = good
        bytes[index] ^= 1 << bit
        #expect(try fault(String(decoding: bytes, as: UTF8.self)) != nil, "\(index) \(bit)")
      }
    }
  }

  @Test func eitherSecretSigns() throws {
    let secrets = [SignedUser.otherSecret, SignedUser.secret]
    #expect(try fault(SignedUser().text, secrets: secrets) == nil)
    #expect(try fault(SignedUser().text, secrets: secrets.reversed()) == nil)
    #expect(try fault(SignedUser().text, secrets: [SignedUser.otherSecret]) == .signature)
    #expect(try fault(SignedUser(secret: "").text) == .signature)
    #expect(try fault(SignedUser(secret: SignedUser.secret + "0").text) == .signature)
  }

  @Test func aKeyChecksWhatItsOwnAlgorithmSigned() throws {
    let (ec, rsa) = (SignedByKey.es256, SignedByKey.rs256)
    for key in [ec, rsa] {
      #expect(try fault(key.token, secrets: [], keys: [key]) == nil)
      #expect(try fault(key.token, keys: [ec, rsa]) == nil)
      #expect(try fault(key.token, user: "u43", keys: [key]) == .subject)
      #expect(try fault(key.token + "A", secrets: [], keys: [key]) != nil)
      #expect(try fault(key.token) == .algorithm)
      #expect(try fault(SignedUser().text, secrets: [], keys: [key]) == .algorithm)
    }
    #expect(try fault(rsa.token, secrets: [], keys: [ec]) == .algorithm)
    #expect(try fault(ec.token, secrets: [], keys: [rsa]) == .algorithm)
  }

  /// Whoever knows the public key must not get anything signed with it (RFC 8725, section 2.1).
  @Test func aPublicKeyIsNoSecret() throws {
    for key in SignedByKey.all {
      for secret in [key.pem, String(key.pem.dropLast())] {
        let forged = SignedUser(secret: secret).text
        #expect(try fault(forged, secrets: [], keys: [key]) == .algorithm)
        #expect(try fault(forged, keys: [key]) == .signature)
        let header = #"{"alg":"\#(key.algorithm)"}"#
        let named = SignedUser(header: header, secret: secret).text
        #expect(try fault(named, keys: [key]) == .signature)
      }
    }
  }

  /// Swift compares texts by what they look like, the database by their bytes.
  @Test func aUserIsTheVeryBytes() throws {
    let (composed, decomposed) = ("\u{E9}", "e\u{301}")
    let token = SignedUser(claims: #"{"sub":"\#(composed)","aud":"food","exp":2e9}"#).text
    #expect(try fault(token, user: composed) == nil)
    #expect(try fault(token, user: decomposed) == .subject)
  }
}
