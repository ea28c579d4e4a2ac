import DeviceProfile
import Foundation
import JSON
import Postgres
import Testing

@testable import App
@testable import Registry

/// One situation, the report that comes in, and what is expected of the decision.
struct RegistrationCase: Sendable, CustomTestStringConvertible {
  let name: String
  var stored: Installation? = RegistrationCase.device
  var owners: [TokenKey: TokenOwner] = [:]
  /// What is stored of the owners.
  var holders: [Installation] = []
  /// The language that the backend chose for whoever newly logs in.
  var chosen: String?
  var source = TokenEvent.Source.app
  var report: String
  /// Seconds after the stored state was written.
  var after: Int64 = 60
  let outcome: Registration.Effect
  /// Whether the row gets the times of a report that changes nothing.
  var renewsTimes = false
  /// `production/apns/a1` or `production/apns/a1 from other`.
  var claims: [String] = []
  var releases: [String] = []
  /// What history says of it: `moved production/apns/a1 from other`.
  var events: [String] = []
  var check: @Sendable (Installation) -> Bool = { _ in true }

  var testDescription: String { name }

  static let all =
    creations + launches + rotations + statuses + environments + moves + continuations + profiles
    + languages + times

  static let start = Timestamp(microseconds: 1_777_000_000_000_000)
  static let day: Int64 = 24 * 60 * 60
  static let own = InstallationID(UUID(uuid: (1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)))
  static let other = InstallationID(UUID(uuid: (2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)))
  static let third = InstallationID(UUID(uuid: (3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)))

  /// So many seconds after the start.
  static func time(_ seconds: Int64) -> Timestamp {
    Timestamp(microseconds: start.microseconds + seconds * 1_000_000)
  }

  static func json(_ byte: String) -> String {
    "{\"token\": \"\(String(repeating: byte, count: 32))\"}"
  }

  /// A report of tokens alone.
  static func tokens(apns: String? = nil, voip: String? = nil) -> String {
    let members = [("apns", apns), ("voip", voip)].compactMap { kind, byte in
      byte.map { "\"\(kind)\": \($0 == "null" ? $0 : json($0))" }
    }
    return "{\"credentials\": {\(members.joined(separator: ", "))}}"
  }

  /// The report of a body.
  static func parse(_ json: String) throws -> RegistrationReport {
    try RegistrationReport.decode(Array(json.utf8)).body
  }

  static func key(
    _ byte: String, _ kind: CredentialKind = .apns, _ environment: Environment = .production
  ) -> TokenKey {
    let bytes = Array(repeating: UInt8(byte, radix: 16) ?? 0, count: 32)
    guard let token = DeviceToken(bytes: bytes) else { preconditionFailure("32 bytes") }
    return TokenKey(environment: environment, kind: kind, token: token)
  }

  /// A device with token a1, VoIP token b1, French, last report at 100 s before.
  static let device: Installation = {
    var device = Installation(
      appID: 1, id: own, revision: 3, secretHash: [1], platform: .ios, environment: .production,
      createdAt: start, updatedAt: start, lastSeenAt: start)
    device.credentials[.apns] = .active(key("a1").token, in: .production, at: start)
    device.credentials[.voip] = .active(key("b1").token, in: .production, at: start)
    device.languages = ["fr-CA"]
    device.appVersion = "3.2.0"
    device.userID = "u42"
    device.tags = ["beta"]
    device.attributes = Attributes(["plan": .string("pro")])
    device.reportedAt = Timestamp(microseconds: start.microseconds - 100_000_000)
    return device
  }()

  static func device(_ change: (inout Installation) -> Void) -> Installation {
    var device = device
    change(&device)
    return device
  }

  /// The device as APNs' feedback left it.
  static func fedBack(
    _ status: CredentialStatus, _ kinds: [CredentialKind] = [.apns]
  ) -> Installation {
    device {
      for kind in kinds {
        $0.credentials[kind]?.status = status
        $0.credentials[kind]?.invalidatedAt = start
        $0.credentials[kind]?.reason = "Unregistered"
      }
    }
  }
}

extension TokenKey: CustomTestStringConvertible {
  /// `production/apns/a1`
  public var testDescription: String {
    "\(environment.rawValue)/\(kind.rawValue)/\(token.hex.prefix(2))"
  }
}

extension TokenEvent {
  /// `moved production/apns/a1 from other`, `removed production/apns/a1 (credential_deleted)`
  var summary: String {
    "\(name.rawValue) \(token.testDescription)" + (from.map { " from \($0.word)" } ?? "")
      + (reason.map { " (\($0))" } ?? "")
  }
}

extension InstallationID {
  /// What the tables call it.
  var word: String {
    switch self {
    case RegistrationCase.own: "itself"
    case RegistrationCase.other: "other"
    case RegistrationCase.third: "third"
    default: text
    }
  }
}
