internal import ASCII
internal import Crypto
internal import FoundationEssentials
internal import Postgres

/// A secret by which a receiver knows that a delivery is ours and as it was sent (Standard Webhooks
/// 1.0, "Signature scheme"): HMAC-SHA256 over id, time and body.
///
///     secret    whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw
///     id        msg_p5jXN8AQM9LWM0D4loKWxJek
///     time      1614265330
///     body      {"test": 2432232314}
///     signature v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=
struct WebhookSecret: Sendable, Hashable {
  private static let prefix = "whsec_"
  /// The key of the signatures.
  let bytes: [UInt8]

  /// A secret of bytes; `nil` when there are fewer or more than the specification allows.
  init?(bytes: [UInt8]) {
    guard Limits.webhookSecretBytes.contains(bytes.count) else { return nil }
    self.bytes = bytes
  }

  /// Reads `whsec_` and base64; `nil` for any other text.
  init?(_ text: String) {
    guard text.hasBytes(atStart: Self.prefix),
      let data = Data(base64Encoded: String(text.dropFirst(Self.prefix.count)))
    else { return nil }
    self.init(bytes: [UInt8](data))
  }

  /// `whsec_` and base64.
  var text: String { Self.prefix + Data(bytes).base64EncodedString() }

  /// The signature of a delivery.
  /// - Parameter seconds: The time of the attempt, since 1970.
  func signature(id: String, seconds: Int64, body: String) -> String {
    let code = HMACSHA256.authenticationCode(
      of: Array("\(id).\(seconds).\(body)".utf8), key: bytes)
    return "v1," + Data(code).base64EncodedString()
  }
}

/// It is stored as its bytes.
extension WebhookSecret: RawRepresentable, PostgresValue {
  var rawValue: Bytea { Bytea(bytes) }

  init?(rawValue: Bytea) { self.init(bytes: rawValue.bytes) }
}
