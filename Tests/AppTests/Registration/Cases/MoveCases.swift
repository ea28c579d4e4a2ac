import DeviceProfile

@testable import App
@testable import Registry

extension RegistrationCase {
  /// Tokens that another installation has until now.
  static let moves: [Self] = [
    Self(
      name: "a token of the same person's former installation",
      owners: [key("a2"): TokenOwner(id: other)],
      report: #"{"user": {"id": "u42"}, "credentials": {"apns": \#(json("a2"))}}"#,
      outcome: .updated, claims: ["production/apns/a2 from other"],
      releases: ["production/apns/a1"],
      events: ["replaced production/apns/a1", "moved production/apns/a2 from other"],
      check: { $0.credentials[.apns] == .active(key("a2").token, in: .production, at: time(60)) }),
    Self(
      name: "the device was handed on: another person, the token of another installation",
      owners: [key("a2"): TokenOwner(id: other)],
      report: #"{"user": {"id": "u43"}, "credentials": {"apns": \#(json("a2"))}}"#,
      outcome: .updated, claims: ["production/apns/a2 from other"],
      releases: ["production/apns/a1"],
      events: ["replaced production/apns/a1", "moved production/apns/a2 from other"],
      check: { $0.userID == "u43" }),
    Self(
      name: "a token that another installation has in the other environment is not taken from it",
      owners: [key("a2", .apns, .sandbox): TokenOwner(id: other)], report: tokens(apns: "a2"),
      outcome: .updated, claims: ["production/apns/a2"], releases: ["production/apns/a1"],
      events: ["replaced production/apns/a1", "rotated production/apns/a2"]),
    Self(
      name: "a token that another installation has as the other kind is not taken from it",
      owners: [key("a2", .voip): TokenOwner(id: other)], report: tokens(apns: "a2"),
      outcome: .updated, claims: ["production/apns/a2"], releases: ["production/apns/a1"],
      events: ["replaced production/apns/a1", "rotated production/apns/a2"]),
    Self(
      name: "an installation without tokens takes over another's",
      stored: device { $0.credentials = ByPlace() },
      owners: [key("a1"): TokenOwner(id: other)], report: tokens(apns: "a1"),
      outcome: .updated, claims: ["production/apns/a1 from other"],
      events: ["moved production/apns/a1 from other"]),
    Self(
      name: "both kinds move at once, from one installation",
      owners: [key("a2"): TokenOwner(id: other), key("b2", .voip): TokenOwner(id: other)],
      report: tokens(apns: "a2", voip: "b2"), outcome: .updated,
      claims: ["production/apns/a2 from other", "production/voip/b2 from other"],
      releases: ["production/apns/a1", "production/voip/b1"],
      events: [
        "replaced production/apns/a1", "moved production/apns/a2 from other",
        "replaced production/voip/b1", "moved production/voip/b2 from other",
      ]),
    Self(
      name: "both kinds move at once, from two installations",
      owners: [key("a2"): TokenOwner(id: other), key("b2", .voip): TokenOwner(id: third)],
      report: tokens(apns: "a2", voip: "b2"), outcome: .updated,
      claims: ["production/apns/a2 from other", "production/voip/b2 from third"],
      releases: ["production/apns/a1", "production/voip/b1"],
      events: [
        "replaced production/apns/a1", "moved production/apns/a2 from other",
        "replaced production/voip/b1", "moved production/voip/b2 from third",
      ]),
    Self(
      name: "one token moves while the other is new",
      owners: [key("b2", .voip): TokenOwner(id: other)],
      report: tokens(apns: "a2", voip: "b2"), outcome: .updated,
      claims: ["production/apns/a2", "production/voip/b2 from other"],
      releases: ["production/apns/a1", "production/voip/b1"],
      events: [
        "replaced production/apns/a1", "rotated production/apns/a2",
        "replaced production/voip/b1", "moved production/voip/b2 from other",
      ]),
    Self(
      name: "one token moves while the other is given up",
      owners: [key("a2"): TokenOwner(id: other)], report: tokens(apns: "a2", voip: "null"),
      outcome: .updated, claims: ["production/apns/a2 from other"],
      releases: ["production/apns/a1", "production/voip/b1"],
      events: [
        "replaced production/apns/a1", "moved production/apns/a2 from other",
        "removed production/voip/b1 (credential_cleared)",
      ]),
    Self(
      name: "one token moves while the other is revived", stored: fedBack(.invalid, [.voip]),
      owners: [key("a2"): TokenOwner(id: other)], report: tokens(apns: "a2", voip: "b1"),
      outcome: .updated, claims: ["production/apns/a2 from other"],
      releases: ["production/apns/a1"],
      events: [
        "replaced production/apns/a1", "moved production/apns/a2 from other",
        "revived production/voip/b1",
      ]),
    Self(
      name: "the build changed, and in its environment another installation has the token",
      owners: [key("a1", .apns, .sandbox): TokenOwner(id: other)],
      report: """
        {"environment": "sandbox", "credentials": {"apns": \(json("a1")), "voip": null}}
        """,
      outcome: .updated,
      claims: ["sandbox/apns/a1 from other"],
      releases: ["production/apns/a1", "production/voip/b1"],
      events: [
        "removed production/apns/a1 (environment_changed)", "moved sandbox/apns/a1 from other",
        "removed production/voip/b1 (credential_cleared)",
      ]),
    Self(
      name: "a token that the ledger has as its own already (an interrupted writer)",
      owners: [key("a2"): TokenOwner(id: own)], report: tokens(apns: "a2"),
      outcome: .updated, claims: ["production/apns/a2"], releases: ["production/apns/a1"],
      events: ["replaced production/apns/a1", "rotated production/apns/a2"]),
    Self(
      name: "an older report does not take a token from anyone",
      owners: [key("a2"): TokenOwner(id: other)],
      report: """
        {"credentials": {"apns": \(json("a2"))}, "reported_at": "2026-04-24T03:04:00Z"}
        """,
      outcome: .stale),
    Self(
      name: "the backend moves a token", owners: [key("a2"): TokenOwner(id: other)],
      source: .backend, report: tokens(apns: "a2"), outcome: .updated,
      claims: ["production/apns/a2 from other"], releases: ["production/apns/a1"],
      events: ["replaced production/apns/a1", "moved production/apns/a2 from other"]),
  ]
}
