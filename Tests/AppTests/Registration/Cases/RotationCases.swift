import DeviceProfile

@testable import App
@testable import Registry

extension RegistrationCase {
  /// Tokens that no one else has: new, given up, exchanged.
  static let rotations: [Self] = [
    Self(
      name: "restored from a backup: a new token",
      report: tokens(apns: "a2"),
      outcome: .updated, claims: ["production/apns/a2"], releases: ["production/apns/a1"],
      events: ["replaced production/apns/a1", "rotated production/apns/a2"],
      check: {
        $0.credentials[.apns] == .active(key("a2").token, in: .production, at: time(60))
          && $0.credentials[.voip] == device.credentials[.voip]
      }),
    Self(
      name: "both tokens at once", report: tokens(apns: "a2", voip: "b2"),
      outcome: .updated, claims: ["production/apns/a2", "production/voip/b2"],
      releases: ["production/apns/a1", "production/voip/b1"],
      events: [
        "replaced production/apns/a1", "rotated production/apns/a2",
        "replaced production/voip/b1", "rotated production/voip/b2",
      ]),
    Self(
      name: "one token is new, the other the same", report: tokens(apns: "a1", voip: "b2"),
      outcome: .updated, claims: ["production/voip/b2"], releases: ["production/voip/b1"],
      events: ["replaced production/voip/b1", "rotated production/voip/b2"],
      check: {
        $0.credentials[.apns]?.registeredAt == start
          && $0.credentials[.apns]?.presentedAt == time(60)
      }),
    Self(
      name: "APNs answered after the first report: the token comes",
      stored: device { $0.credentials = ByPlace() }, report: tokens(apns: "a1"),
      outcome: .updated, claims: ["production/apns/a1"],
      events: ["registered production/apns/a1"]),
    Self(
      name: "an update of the app learns to take calls",
      stored: device { $0.credentials[.voip] = nil }, report: tokens(voip: "b1"),
      outcome: .updated, claims: ["production/voip/b1"],
      events: ["registered production/voip/b1"]),
    Self(
      name: "PushKit invalidated the VoIP token", report: tokens(voip: "null"),
      outcome: .updated, releases: ["production/voip/b1"],
      events: ["removed production/voip/b1 (credential_cleared)"],
      check: { $0.credentials[.voip] == nil && $0.credentials[.apns] != nil }),
    Self(
      name: "calls were switched off while the other token changed",
      report: tokens(apns: "a2", voip: "null"),
      outcome: .updated, claims: ["production/apns/a2"],
      releases: ["production/apns/a1", "production/voip/b1"],
      events: [
        "replaced production/apns/a1", "rotated production/apns/a2",
        "removed production/voip/b1 (credential_cleared)",
      ]),
    Self(
      name: "all credentials cleared", report: #"{"credentials": null}"#, outcome: .updated,
      releases: ["production/apns/a1", "production/voip/b1"],
      events: [
        "removed production/apns/a1 (credential_cleared)",
        "removed production/voip/b1 (credential_cleared)",
      ]),
    Self(
      name: "a credential cleared that there is none of",
      stored: device { $0.credentials[.voip] = nil },
      report: tokens(voip: "null"), outcome: .seen),
    Self(
      name: "credentials that say nothing", report: #"{"credentials": {}}"#, outcome: .seen),
    Self(
      name: "the tokens were in the wrong fields and change places",
      report: tokens(apns: "b1", voip: "a1"),
      outcome: .updated, claims: ["production/apns/b1", "production/voip/a1"],
      releases: ["production/apns/a1", "production/voip/b1"],
      events: [
        "replaced production/apns/a1", "rotated production/apns/b1",
        "replaced production/voip/b1", "rotated production/voip/a1",
      ]),
    Self(
      name: "the wrong fields were fed back as invalid before they change places",
      stored: fedBack(.invalid, [.apns, .voip]), report: tokens(apns: "b1", voip: "a1"),
      outcome: .updated, claims: ["production/apns/b1", "production/voip/a1"],
      releases: ["production/apns/a1", "production/voip/b1"],
      events: [
        "replaced production/apns/a1", "rotated production/apns/b1",
        "replaced production/voip/b1", "rotated production/voip/a1",
      ],
      check: {
        $0.credentials[.apns]?.status == .active && $0.credentials[.voip]?.status == .active
      }),
  ]

  /// Tokens that feedback took out of use.
  static let statuses: [Self] = [
    Self(
      name: "installed again before APNs noticed: the invalid token comes back",
      stored: fedBack(.invalid), report: tokens(apns: "a1"), outcome: .updated,
      events: ["revived production/apns/a1"],
      check: { $0.credentials[.apns] == .active(key("a1").token, in: .production, at: time(60)) }),
    Self(
      name: "a quarantined token comes back", stored: fedBack(.quarantined),
      report: tokens(apns: "a1"), outcome: .updated, events: ["revived production/apns/a1"],
      check: { $0.credentials[.apns] == .active(key("a1").token, in: .production, at: time(60)) }),
    Self(
      name: "both tokens were invalid and come back", stored: fedBack(.invalid, [.apns, .voip]),
      report: tokens(apns: "a1", voip: "b1"), outcome: .updated,
      events: ["revived production/apns/a1", "revived production/voip/b1"]),
    Self(
      name: "an invalid token comes back, the other changed", stored: fedBack(.invalid),
      report: tokens(apns: "a1", voip: "b2"), outcome: .updated, claims: ["production/voip/b2"],
      releases: ["production/voip/b1"],
      events: [
        "revived production/apns/a1", "replaced production/voip/b1", "rotated production/voip/b2",
      ]),
    Self(
      name: "an invalid token is followed by a new one", stored: fedBack(.invalid),
      report: tokens(apns: "a2"), outcome: .updated, claims: ["production/apns/a2"],
      releases: ["production/apns/a1"],
      events: ["replaced production/apns/a1", "rotated production/apns/a2"],
      check: { $0.credentials[.apns] == .active(key("a2").token, in: .production, at: time(60)) }),
    Self(
      name: "an invalid token stays so when the app says nothing of it",
      stored: fedBack(.invalid), report: #"{"locale": "fr_CA"}"#, outcome: .updated,
      check: { $0.credentials[.apns] == fedBack(.invalid).credentials[.apns] }),
    Self(
      name: "a quarantined token stays so when only the other is brought",
      stored: fedBack(.quarantined), report: tokens(voip: "b1"), outcome: .seen),
    Self(
      name: "an invalid token stays so at a launch after a day that does not bring it",
      stored: fedBack(.invalid), report: tokens(voip: "b1"), after: day, outcome: .seen,
      renewsTimes: true,
      check: { $0.credentials[.apns]?.status == .invalid }),
    Self(
      name: "an invalid token is given up", stored: fedBack(.invalid),
      report: tokens(apns: "null"), outcome: .updated, releases: ["production/apns/a1"],
      events: ["removed production/apns/a1 (credential_cleared)"]),
    Self(
      name: "a report from before the feedback does not revive", stored: fedBack(.invalid),
      report: """
        {"credentials": {"apns": \(json("a1"))}, "reported_at": "2026-04-24T03:04:00Z"}
        """,
      outcome: .stale),
  ]

  /// The same app from Xcode and from the App Store.
  static let environments: [Self] = [
    Self(
      name: "the build changed and repeats a token: it counts as registered now",
      report: """
        {"environment": "sandbox", "credentials": {"apns": \(json("a1")), "voip": null}}
        """,
      outcome: .updated, claims: ["sandbox/apns/a1"],
      releases: ["production/apns/a1", "production/voip/b1"],
      events: [
        "removed production/apns/a1 (environment_changed)", "registered sandbox/apns/a1",
        "removed production/voip/b1 (credential_cleared)",
      ],
      check: { $0.credentials[.apns] == .active(key("a1").token, in: .sandbox, at: time(60)) }),
    Self(
      name: "the build changed and brings its new token",
      report: """
        {"environment": "sandbox", "credentials": {"apns": \(json("a2")), "voip": null}}
        """,
      outcome: .updated, claims: ["sandbox/apns/a2"],
      releases: ["production/apns/a1", "production/voip/b1"],
      events: [
        "removed production/apns/a1 (environment_changed)", "registered sandbox/apns/a2",
        "removed production/voip/b1 (credential_cleared)",
      ]),
    Self(
      name: "quarantined for the wrong environment, which is now mended",
      stored: fedBack(.quarantined),
      report: """
        {"environment": "sandbox", "credentials": {"apns": \(json("a1")), "voip": \(json("b1"))}}
        """,
      outcome: .updated, claims: ["sandbox/apns/a1", "sandbox/voip/b1"],
      releases: ["production/apns/a1", "production/voip/b1"],
      events: [
        "removed production/apns/a1 (environment_changed)", "registered sandbox/apns/a1",
        "removed production/voip/b1 (environment_changed)", "registered sandbox/voip/b1",
      ],
      check: { $0.credentials[.apns] == .active(key("a1").token, in: .sandbox, at: time(60)) }),
    Self(
      name: "the environment is repeated, which is no change",
      report: #"{"environment": "production"}"#, outcome: .seen),
    Self(
      name: "the platform was wrong: the tokens do not mind", report: #"{"platform": "ipados"}"#,
      outcome: .updated, check: { $0.platform == .ipados }),
  ]
}
