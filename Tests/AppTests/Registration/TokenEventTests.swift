import DeviceProfile
import Postgres
import Testing

@testable import App
@testable import Registry

/// Two states of an installation, why it came from one to the other, and what history says.
struct TokenEventCase: Sendable, CustomTestStringConvertible {
  let name: String
  var before: Installation? = RegistrationCase.device
  var after: Installation?
  var cause = TokenEvent.Cause(.app)
  let events: [String]

  var testDescription: String { name }

  private typealias Case = RegistrationCase

  static func device(_ change: (inout Installation) -> Void) -> Installation {
    RegistrationCase.device(change)
  }

  static let registrations: [Self] = [
    Self(
      name: "a new installation with both tokens", before: nil, after: Case.device,
      events: ["registered production/apns/a1", "registered production/voip/b1"]),
    Self(
      name: "a new installation without tokens", before: nil,
      after: device { $0.credentials = ByPlace() }, events: []),
    Self(name: "no installation at all", before: nil, after: nil, events: []),
    Self(
      name: "a profile changed, and the dates of a token",
      after: device {
        $0.locale = "fr_FR"
        $0.credentials[.apns]?.presentedAt = Case.time(60)
        $0.credentials[.apns]?.registeredAt = Case.time(60)
      }, events: []),
    Self(
      name: "a token in the place of another",
      after: device {
        $0.credentials[.apns] = .active(Case.key("a2").token, in: .production, at: Case.time(60))
      }, events: ["replaced production/apns/a1", "rotated production/apns/a2"]),
    Self(
      name: "a token of another's in the place of another",
      after: device {
        $0.credentials[.apns] = .active(Case.key("a2").token, in: .production, at: Case.time(60))
      },
      cause: .init(.app, owners: [Case.key("a2"): TokenOwner(id: Case.other)]),
      events: ["replaced production/apns/a1", "moved production/apns/a2 from other"]),
    Self(
      name: "a token of another's, the first of its kind",
      before: device { $0.credentials[.apns] = nil }, after: Case.device,
      cause: .init(.app, owners: [Case.key("a1"): TokenOwner(id: Case.other)]),
      events: ["moved production/apns/a1 from other"]),
    Self(
      name: "owners of tokens that it had already say nothing", after: Case.device,
      cause: .init(.app, owners: [Case.key("a1"): TokenOwner(id: Case.other)]), events: []),
    Self(
      name: "its own token in the ledger is no move", before: nil,
      after: device { $0.credentials[.voip] = nil },
      cause: .init(.app, owners: [Case.key("a1"): TokenOwner(id: Case.own)]),
      events: ["registered production/apns/a1"]),
    Self(
      name: "an import of a token that feedback took out of use", before: nil,
      after: Case.fedBack(.invalid), cause: .init(.import),
      events: [
        "registered production/apns/a1", "invalidated production/apns/a1 (Unregistered)",
        "registered production/voip/b1",
      ]),
    Self(
      name: "an import that moves a quarantined token", before: nil,
      after: Case.fedBack(.quarantined),
      cause: .init(.import, owners: [Case.key("a1"): TokenOwner(id: Case.other)]),
      events: [
        "moved production/apns/a1 from other", "quarantined production/apns/a1 (Unregistered)",
        "registered production/voip/b1",
      ]),
  ]

  static let losses: [Self] = [
    Self(
      name: "the installation is deleted", after: nil,
      cause: .init(.backend, removal: "installation_deleted"),
      events: [
        "removed production/apns/a1 (installation_deleted)",
        "removed production/voip/b1 (installation_deleted)",
      ]),
    Self(
      name: "a credential is deleted", after: device { $0.credentials[.voip] = nil },
      cause: .init(.app, removal: "credential_deleted"),
      events: ["removed production/voip/b1 (credential_deleted)"]),
    Self(
      name: "a token went to another installation, which tells of it",
      after: device { $0.credentials[.apns] = nil },
      cause: .init(.app, movedAway: [Case.key("a1")]), events: []),
    Self(
      name: "one token went to another installation, the other was deleted at once",
      after: device { $0.credentials = ByPlace() },
      cause: .init(.app, removal: "credential_deleted", movedAway: [Case.key("a1")]),
      events: ["removed production/voip/b1 (credential_deleted)"]),
    Self(
      name: "the environment changed",
      after: device {
        $0.environment = .sandbox
        $0.credentials[.apns]?.environment = .sandbox
        $0.credentials[.voip] = nil
      },
      cause: .init(.app, removal: "credential_cleared"),
      events: [
        "removed production/apns/a1 (environment_changed)", "registered sandbox/apns/a1",
        "removed production/voip/b1 (credential_cleared)",
      ]),
    Self(
      name: "the kinds change places",
      after: device {
        $0.credentials[.apns] = .active(Case.key("b1").token, in: .production, at: Case.time(60))
        $0.credentials[.voip] = .active(Case.key("a1").token, in: .production, at: Case.time(60))
      },
      events: [
        "replaced production/apns/a1", "rotated production/apns/b1",
        "replaced production/voip/b1", "rotated production/voip/a1",
      ]),
  ]

  static let statuses: [Self] = [
    Self(
      name: "a 410", after: Case.fedBack(.invalid), cause: .init(.feedback),
      events: ["invalidated production/apns/a1 (Unregistered)"]),
    Self(
      name: "BadDeviceToken", after: Case.fedBack(.quarantined), cause: .init(.feedback),
      events: ["quarantined production/apns/a1 (Unregistered)"]),
    Self(
      name: "a quarantined token is gone for good", before: Case.fedBack(.quarantined),
      after: Case.fedBack(.invalid), cause: .init(.feedback),
      events: ["invalidated production/apns/a1 (Unregistered)"]),
    Self(
      name: "the same feedback again", before: Case.fedBack(.invalid),
      after: Case.fedBack(.invalid), cause: .init(.feedback), events: []),
    Self(
      name: "the app brings it again", before: Case.fedBack(.invalid), after: Case.device,
      events: ["revived production/apns/a1"]),
    Self(
      name: "the backend brings it again", before: Case.fedBack(.quarantined), after: Case.device,
      cause: .init(.backend), events: ["revived production/apns/a1"]),
    Self(
      name: "feedback takes back what it said", before: Case.fedBack(.quarantined),
      after: Case.device, cause: .init(.feedback), events: ["restored production/apns/a1"]),
    Self(
      name: "both kinds at once", after: Case.fedBack(.invalid, [.apns, .voip]),
      cause: .init(.feedback),
      events: [
        "invalidated production/apns/a1 (Unregistered)",
        "invalidated production/voip/b1 (Unregistered)",
      ]),
    Self(
      name: "an invalid token is deleted with its installation", before: Case.fedBack(.invalid),
      after: nil, cause: .init(.maintenance, removal: "stale"),
      events: ["removed production/apns/a1 (stale)", "removed production/voip/b1 (stale)"]),
    Self(
      name: "an invalid token is replaced", before: Case.fedBack(.invalid),
      after: device {
        $0.credentials[.apns] = .active(Case.key("a2").token, in: .production, at: Case.time(60))
      },
      events: ["replaced production/apns/a1", "rotated production/apns/a2"]),
  ]
}

@Suite struct TokenEventTests {
  private static let cases =
    TokenEventCase.registrations + TokenEventCase.losses + TokenEventCase.statuses

  @Test(arguments: cases)
  func historySaysWhatChanged(row: TokenEventCase) {
    let events = TokenEvent.events(
      from: row.before, to: row.after, at: RegistrationCase.time(60), row.cause)
    #expect(events.map(\.summary) == row.events)
    for event in events {
      #expect(event.source == row.cause.source)
      #expect(event.at == RegistrationCase.time(60))
      #expect(event.installation == InstallationKey(appID: 1, id: RegistrationCase.own))
    }
  }
}
