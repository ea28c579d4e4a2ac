import Foundation

/// A failed registration or prompt, as it is reported: `POST …/failures`.
struct FailureReport: Codable, Hashable, Sendable {
  /// Made once, so that a report that is sent again is stored once.
  var id = UUID()
  var kind: FailureKind
  var domain: String
  var code: Int
  var message: String?
  var occurredAt: Date

  /// The object of the HTTP contract; texts are cut to its bounds.
  func report(
    installation: UUID, _ profile: ReportFields
  ) -> [String: PayloadValue] {
    var report: [String: PayloadValue] = [
      "id": .string(id.uuidString.lowercased()), "kind": .string(kind.rawValue),
      "installation_id": .string(installation.uuidString.lowercased()),
      "error": .object([
        "domain": .string(domain.prefix(bytes: 256)), "code": .integer(Int64(code)),
        "message": message.map { .string($0.prefix(bytes: 4096)) } ?? .null,
      ]),
      "occurred_at": .string(ServerTime.text(occurredAt)),
    ]
    for field in [ReportField.environment, .platform, .appVersion, .osVersion, .deviceModel] {
      report[field.rawValue] = profile[field]
    }
    return report
  }
}

/// What failed. A later release may know more of them.
public struct FailureKind: RawRepresentable, Codable, Hashable, Sendable {
  /// `didFailToRegisterForRemoteNotificationsWithError`.
  public static let apns = Self(rawValue: "apns")
  /// PushKit gave no token. It has no callback for that: an app may notice by the time that passes.
  public static let voip = Self(rawValue: "voip")
  /// `requestAuthorization` ended with an error.
  public static let authorization = Self(rawValue: "authorization")

  /// Its word in the HTTP contract.
  public let rawValue: String

  /// The kind of a word.
  public init(rawValue: String) { self.rawValue = rawValue }
}

extension String {
  /// The longest beginning of whole characters that has no more bytes.
  func prefix(bytes maximum: Int) -> String {
    guard utf8.count > maximum else { return self }
    var text = String(decoding: utf8.prefix(maximum), as: UTF8.self)
    while text.utf8.count > maximum || text.last == "\u{FFFD}" { text.removeLast() }
    return text
  }
}
