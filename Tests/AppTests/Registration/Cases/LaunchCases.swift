import DeviceProfile
import Postgres

@testable import App
@testable import Registry

extension RegistrationCase {
  /// The report of every launch, which mostly says nothing new.
  static let launches: [Self] = [
    Self(name: "an empty report", report: "{}", outcome: .seen),
    Self(
      name: "an ordinary launch: same token, same profile",
      report: """
        {"platform": "ios", "environment": "production", "languages": ["fr-CA"],
         "credentials": {"apns": \(json("A1")), "voip": \(json("b1"))},
         "app_version": "3.2.0", "user": {"id": "u42"}, "tags": ["beta"],
         "attributes": {"plan": "pro"}, "reported_at": "2026-04-24T03:07:00Z"}
        """,
      outcome: .seen),
    Self(
      name: "the first launch after a day", report: "{}", after: day, outcome: .seen,
      renewsTimes: true,
      check: {
        $0.lastSeenAt == time(day) && $0.updatedAt == start
          && $0.credentials[.apns]?.presentedAt == start
      }),
    Self(
      name: "the first launch after a day brings a token: the other stays as it was brought",
      report: tokens(apns: "a1"), after: day, outcome: .seen,
      renewsTimes: true,
      check: {
        $0.lastSeenAt == time(day) && $0.credentials[.apns]?.presentedAt == time(day)
          && $0.credentials[.apns]?.registeredAt == start
          && $0.credentials[.voip]?.presentedAt == start
      }),
    Self(
      name: "a launch just within the day", report: tokens(apns: "a1", voip: "b1"), after: day - 1,
      outcome: .seen),
    Self(
      name: "seen today, but the token was not brought for a day",
      stored: device { $0.lastSeenAt = time(day - 10) }, report: tokens(apns: "a1"), after: day,
      outcome: .seen,
      renewsTimes: true,
      check: { $0.credentials[.apns]?.presentedAt == time(day) && $0.lastSeenAt == time(day) }),
    Self(
      name: "seen today, and the token that is old is not brought",
      stored: device {
        $0.lastSeenAt = time(day - 10)
        $0.credentials[.voip]?.presentedAt = time(day - 10)
      },
      report: tokens(voip: "b1"), after: day, outcome: .seen),
    Self(
      name: "one token was brought today, the other is a day old, both come",
      stored: device {
        $0.lastSeenAt = time(day - 10)
        $0.credentials[.voip]?.presentedAt = time(day - 10)
      },
      report: tokens(apns: "a1", voip: "b1"), after: day, outcome: .seen,
      renewsTimes: true,
      check: {
        $0.credentials[.apns]?.presentedAt == time(day)
          && $0.credentials[.voip]?.presentedAt == time(day)
      }),
    Self(
      name: "two servers' clocks differ: time does not run backwards",
      stored: device { $0.lastSeenAt = time(90) }, report: #"{"locale": "fr_CA"}"#,
      outcome: .updated, check: { $0.lastSeenAt == time(90) }),
    Self(
      name: "an installation of the backend, first call of the app: it gets a secret",
      stored: device { $0.secretHash = nil }, report: "{}", outcome: .updated,
      check: { $0.secretHash == [9] }),
    Self(
      name: "an installation of the backend stays without a secret while the backend reports",
      stored: device { $0.secretHash = nil }, source: .backend, report: "{}", outcome: .seen),
    Self(
      name: "the secret of an installation stays", report: #"{"locale": "fr_CA"}"#,
      outcome: .updated, check: { $0.secretHash == [1] }),
    Self(
      name: "the backend changes an installation of the app, whose secret stays",
      source: .backend, report: #"{"tags": ["vip"]}"#, outcome: .updated,
      check: { $0.secretHash == [1] && $0.tags == ["vip"] }),
  ]
}
