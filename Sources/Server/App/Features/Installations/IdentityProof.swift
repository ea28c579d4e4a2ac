import ASCII
import Crypto
import JSON
import Postgres

/// The proof of who is logged in: a JSON Web Token (RFC 7519) that the app's backend signed for its
/// user, as a JWS in compact form (RFC 7515).
///
/// 1. Three parts in base64url without padding, the first a JSON object without a name twice and
///    without `crit`: the extensions in its list must be understood, and none is (RFC 7515,
///    4.1.11).
/// 2. `alg` is exactly `HS256`, `RS256` or `ES256`, and the app has something for it. The token
///    only says which of them to try: each secret is for HS256, and each public key for the one
///    algorithm of its kind, so that no key is taken for another's (RFC 8725, section 2.1).
/// 3. The third part is the code of the first two, as they stand, under one of the secrets, or
///    their signature by one of the keys.
/// 4. Only then are the claims read: `sub` is the user, `aud` is or contains the app, now is before
///    `exp`, and not before `nbf` and `iat` where these are there, give or take a minute.
/// 5. `exp` is at most the app's `identity_lifetime_days` away, from now and from `iat`: a proof
///    without an end is a password that nobody can change. With 30 days, on the first of May:
///
///        exp 20 May                 taken
///        exp 20 June                refused; taken from the 21st of May on
///        exp 20 May, iat 1 January  refused, now and later
enum IdentityProof {
  /// Why a user is not proven; the raw value is the code of the answer.
  enum Fault: String, Error, Sendable, CaseIterable {
    case unproven = "identity_unproven"
    case malformed = "identity_token_malformed"
    case algorithm = "identity_token_algorithm"
    case signature = "identity_token_signature"
    case subject = "identity_token_subject"
    case audience = "identity_token_audience"
    case expired = "identity_token_expired"
    case lifetime = "identity_token_lifetime"
    case premature = "identity_token_premature"
  }

  /// Checks a token.
  /// - Throws: The first fault that it has.
  static func check(
    _ token: String?, of user: String, for app: AppRecord, at now: Timestamp
  ) throws(Fault) {
    guard let token, !app.identitySecrets.isEmpty || !app.identityKeys.isEmpty else {
      throw .unproven
    }
    let parts = token.parts(between: ".", keepsEmpty: true)
    guard parts.count == 3, let code = Base64URL.decode(parts[2]) else { throw .malformed }
    let header = try members(parts[0])
    guard header["crit"] == nil else { throw .malformed }
    guard case .string(let algorithm)? = header["alg"] else { throw .algorithm }
    let signed = Array("\(parts[0]).\(parts[1])".utf8)
    let keys = app.identityKeys.filter { $0.algorithm.rawValue.isSpelled(like: algorithm) }
    let secrets = algorithm.isSpelled(like: "HS256") ? app.identitySecrets : []
    guard !keys.isEmpty || !secrets.isEmpty else { throw .algorithm }
    let isSigned =
      secrets.contains { HMACSHA256.isValid(code, of: signed, key: Array($0.utf8)) }
      || keys.contains { $0.isValid(code, of: signed) }
    guard isSigned else { throw .signature }
    try check(try members(parts[1]), user, app, now)
  }

  /// Checks the claims. A missing claim or a claim of another type is as wrong as another value.
  private static func check(
    _ claims: JSONObject, _ user: String, _ app: AppRecord, _ now: Timestamp
  ) throws(Fault) {
    guard case .string(let subject)? = claims["sub"], subject.isSpelled(like: user) else {
      throw .subject
    }
    let audience =
      switch claims["aud"] {
      case .array(let audience): audience
      case let audience: [audience ?? .null]
      }
    guard audience.contains(.string(app.slug.text)) else { throw .audience }
    let seconds = Double(now.microseconds) / 1_000_000
    guard let end = claims["exp"]?.seconds, seconds - Limits.userTokenLeewaySeconds < end else {
      throw .expired
    }
    let longest = Double(app.identityLifetimeDays) * 86_400 + Limits.userTokenLeewaySeconds
    guard end <= seconds + longest else { throw .lifetime }
    for name in ["nbf", "iat"] {
      guard let claim = claims[name] else { continue }
      guard let start = claim.seconds, start <= seconds + Limits.userTokenLeewaySeconds else {
        throw .premature
      }
    }
    if let issue = claims["iat"]?.seconds, end > issue + longest { throw .lifetime }
  }

  /// The members of a part. A name that is there twice would be read one way here and another
  /// elsewhere (RFC 7515, section 4).
  private static func members(_ part: String) throws(Fault) -> JSONObject {
    guard let text = Base64URL.decode(part),
      case .object(let members)? =
        (try? JSONNode(parsing: text, maximumCount: Limits.userTokenValues))?.content,
      Set(members.map { Spelling($0.name) }).count == members.count,
      case .object(let values)? = JSONValue(parsing: text)
    else { throw .malformed }
    return values
  }
}

extension JSONValue {
  /// A NumericDate (RFC 7519, section 2): seconds since 1970, with or without a fraction.
  fileprivate var seconds: Double? {
    switch self {
    case .integer(let number): Double(number)
    case .double(let number): number
    case .longNumber(let text): Double(text)
    default: nil
    }
  }
}

extension IdentityProof.Fault {
  /// The fault as a problem of the answer. No device token is lost because a user is not proven.
  func problem(in app: AppRecord) -> InputProblem {
    InputProblem(
      pointer: "/user", code: rawValue,
      detail: "The report was taken without the user. \(detail(in: app))")
  }

  /// Advice for the app or its backend.
  private func detail(in app: AppRecord) -> String {
    switch self {
    case .unproven:
      "This app wants its users proven: send user.token, signed with one of its identity_secrets "
        + "or identity_keys, or have the backend name the user."
    case .malformed:
      "user.token must have three parts in base64url without padding. The first two must be JSON "
        + "objects that use no name twice, and the header must not have crit."
    case .algorithm:
      "The header's alg must be HS256, RS256 or ES256, in this spelling, and the app must have an "
        + "identity secret or key for it."
    case .signature: "The token is not signed with any of the app's identity secrets or keys."
    case .subject: "The claim sub must be the same text as user.id."
    case .audience: "The claim aud must be the app's name in the path, or a list with it."
    case .expired: "The claim exp must be a number of seconds since 1970, in the future."
    case .lifetime:
      "The claim exp must be in seconds, not in milliseconds, and at most "
        + "\(app.identityLifetimeDays) days after now and after iat: the app's "
        + "identity_lifetime_days."
    case .premature:
      "The claims nbf and iat must be numbers of seconds since 1970, not in the future."
    }
  }
}
