import Crypto
import DeviceProfile
import JSON
import Localization

@testable import App
@testable import Postgres
@testable import Registry

extension Reader {
  private static func value(
    _ name: String, upTo largest: Int = 8_192, _ worst: @escaping (Int) -> String,
    _ read: @escaping (String) -> Void
  ) -> Reader { Reader(name, upTo: largest, worst, read) }

  nonisolated(unsafe) static let texts: [Reader] = [
    value("device tokens", upTo: RegistryLimits.deviceTokenMaximumBytes * 4) {
      text($0, " <", "0 ", "z> ")
    } _: {
      _ = try? DeviceToken(parsing: $0)
    },
    value("names of apps") {
      text($0, "", "a")
    } _: {
      _ = AppSlug($0)
    },
    value("bundle identifiers", upTo: 256 << 10) {
      text($0, "", "a.")
    } _: {
      _ = BundleID($0)
    },
    value("UUIDs") {
      text($0, "", "0-")
    } _: {
      _ = InstallationID($0)
    },
    value("times") {
      text($0, "2026-01-01T00:00:00.", "0", "Z")
    } _: {
      _ = Timestamp(rfc3339: $0)
    },
    value("versions", upTo: RegistryLimits.versionBytes) {
      text($0, "", "1.")
    } _: {
      _ = Version($0)
    },
    value("language tags", upTo: RegistryLimits.languageTagBytes) {
      text($0, "en", "-a")
    } _: {
      _ = LanguageTag($0)
    },
    value("cursors of lists", upTo: 256) {
      Base64URL.encode(Array(text($0 * 3 / 4, "\"", "\\u0301", "\"").utf8))
    } _: {
      _ = Cursor<String>($0)
    },
    value("cursors of changes", upTo: 32_000) {
      text($0, "", "A")
    } _: {
      _ = ChangeCursor($0)
    },
    value("numbers in attributes", upTo: RegistryLimits.attributesBytes) {
      text($0, "", "1")
    } _: {
      _ = AttributeNumber(.string($0))
    },
    value("addresses of webhooks") {
      text($0, "https://", "a:")
    } _: {
      _ = WebhookReach().fault(of: $0)
    },
    value("secrets of webhooks") {
      text($0, "whsec_", "A")
    } _: {
      _ = WebhookSecret($0)
    },
    value("public keys", upTo: Limits.identityKeyBytes) {
      text($0, "-----BEGIN PUBLIC KEY-----\n", "A\n", "-----END PUBLIC KEY-----")
    } _: {
      _ = PublicKey(pem: $0)
    },
  ]
}
